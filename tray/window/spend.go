package window

import (
	"context"
	"net/http"
	"slices"
	"time"

	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/spend"
)

// Spend reads what was spent, and adds it up.
type Spend interface {
	// Look reads what is new of a plan; one with an unknown account is the leading one.
	// Where nothing can be read it fails; its Look may still have the plan.
	Look(ctx context.Context, plan usage.Plan, progress func(done, total int)) (spend.Look, error)
	// Report adds up what is kept. It reads nothing; the Look names cascades and
	// workspaces.
	Report(ctx context.Context, q spend.Query, look spend.Look) (spend.Report, error)
}

// spender shows what was spent, and has what is new read.
type spender struct {
	served *served
	reader spendReader
	places places
}

// show tells what is kept.
func (s *spender) show(w http.ResponseWriter, r *http.Request) {
	state := s.served.choose(s.served.plans(), r.FormValue("plan"))
	if why := untold(state); why != "" {
		write(w, http.StatusOK, spending{Plan: state.Name, Untold: why})
		return
	}
	report, seen, ok := s.report(w, r, state)
	if ok {
		write(w, http.StatusOK, s.document(state, report, seen))
	}
}

// csv exports the same.
func (s *spender) csv(w http.ResponseWriter, r *http.Request) {
	state := s.served.choose(s.served.plans(), r.FormValue("plan"))
	if why := untold(state); why != "" {
		fail(w, http.StatusNotFound, "untold", why)
		return
	}
	report, _, ok := s.report(w, r, state)
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="windsock-spend.csv"`)
	_ = spend.WriteCSV(w, report) // a lost client is ignored
}

// untold says that a plan's product does not tell what its plan was spent on; "" if it
// does.
func untold(state poll.State) string {
	product := state.Snapshot.Plan.Product
	if product == "" || product == usage.Windsurf {
		return ""
	}
	return product.Name() + " does not tell what its plan was spent on."
}

// report adds up what a request asks for, or answers with the error.
func (s *spender) report(w http.ResponseWriter, r *http.Request, state poll.State) (spend.Report, seen, bool) {
	seen := s.reader.seen(state.Snapshot.Plan)
	plan := state.Snapshot.Plan
	if !plan.Account.Known() && seen.look.Plan.Account.Known() {
		plan = seen.look.Plan
	}
	q, ok := s.query(r, plan, state.Snapshot.Cycle)
	if !ok {
		fail(w, http.StatusUnprocessableEntity, "query", "What was spent is told by model, workspace, cascade or day, for 7d, 30d, 90d or cycle.")
		return spend.Report{}, seen, false
	}
	report, err := s.served.config.Spend.Report(r.Context(), q, seen.look)
	if err != nil {
		failWith(w, http.StatusServiceUnavailable, err)
		return spend.Report{}, seen, false
	}
	return report, seen, true
}

var ways = []spend.By{spend.ByModel, spend.ByWorkspace, spend.ByCascade, spend.ByDay}

// query is what a request asks for; false if that is not possible.
func (s *spender) query(r *http.Request, plan usage.Plan, cycle usage.Window) (spend.Query, bool) {
	q := spend.Query{Plan: plan, By: spend.By(r.FormValue("by")), Only: map[spend.By]string{}}
	if q.By == "" {
		q.By = spend.ByModel
	}
	now := s.served.config.Now().Truncate(time.Second)
	q.Until = now.Add(time.Second) // what was spent in this second counts
	from, known := rangeStart(r.FormValue("range"), now, cycle.Start)
	q.Since = from
	for _, way := range ways {
		if key, asked := r.Form[string(way)]; asked {
			q.Only[way] = s.places.key(way, key[0])
		}
	}
	_, again := q.Only[q.By]
	return q, known && !again && slices.Contains(ways, q.By)
}
