package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/simulator"
	"windsock/probe/simulator/account"
)

// A ledger is a desk whose server tells of cascades over months, as its clock is moved
// on, and what they have cost by the server's own books.
type ledger struct {
	*desk

	server *simulator.Process
	// begin is when the months begin, at where the clock is.
	begin, at time.Time
	// location is where the person is.
	location *time.Location
	// told are the steps that were there at a look, by their ids, as they were last.
	told map[string]simulator.Spent
}

// months is how long a ledger's time is.
const months = 62 * 24 * time.Hour

// newLedger begins the months with a scenario. Cascades of the year before are there.
func newLedger(t *testing.T, c simulator.Config) *ledger {
	t.Helper()
	begin := time.Now().Add(-months).Truncate(time.Second)
	l := &ledger{desk: newDesk(t), begin: begin, told: map[string]simulator.Spent{}}
	l.zone = "America/St_Johns" // half an hour beside the others, and with summer time
	var err error
	if l.location, err = time.LoadLocation(l.zone); err != nil {
		t.Fatal(err)
	}
	c.At, c.Start, c.Cascade.Until = begin, begin, begin.Add(months)
	if c.Cascade.Old == 0 {
		c.Cascade.Old = 60
	}
	l.server = l.serve(c)
	l.moveTo(begin)
	return l
}

// moveTo moves the clocks of the servers and of windsock on, and notes what the first
// server tells then.
func (l *ledger) moveTo(at time.Time) {
	l.t.Helper()
	l.at, l.ahead = at, time.Until(at)
	for _, server := range l.servers {
		if err := server.SetTime(l.t.Context(), at); err != nil {
			l.t.Fatal(err)
		}
	}
	steps, err := l.server.Spent(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	for _, s := range steps {
		before, known := l.told[s.ID]
		if known { // its copy may be all that is left
			s.Cascade, s.Workspace = before.Cascade, before.Workspace
		}
		if !known || !s.Cleared { // what was spent stays spent
			l.told[s.ID] = s
		}
	}
}

// A sheet is what `windsock spend --json` writes.
type sheet struct {
	Schema       int
	Plan         string
	Since, Until *time.Time
	By           string
	Rows         []struct {
		figures

		Key, Label string
	}
	Total  figures
	Meters []struct {
		ID               string
		Moved, Elsewhere *float64
	}
}

// figures are those of a row; nil is unknown.
type figures struct {
	Prompts      int
	Credits      *float64
	ACU          *float64
	QuotaPercent *float64 `json:"quota_percent"`
	OverageUSD   *float64 `json:"overage_usd"`
	Tokens       struct{ Input, Output, Cached *uint64 }
	UnknownSteps int `json:"unknown_steps"`
}

// parts are figures in whole parts, as the wire tells costs.
type parts struct {
	Prompts, Unknown      int
	Costs                 map[account.Unit]int64
	Input, Output, Cached uint64
}

func (f figures) parts() parts {
	p := parts{Prompts: f.Prompts, Unknown: f.UnknownSteps, Costs: map[account.Unit]int64{}}
	for unit, cost := range map[account.Unit]*float64{
		account.Credits: f.Credits, account.ACUs: f.ACU, account.Quota: f.QuotaPercent, account.Dollars: f.OverageUSD,
	} {
		if cost != nil {
			p.Costs[unit] = whole(unit, *cost)
		}
	}
	for to, count := range map[*uint64]*uint64{&p.Input: f.Tokens.Input, &p.Output: f.Tokens.Output, &p.Cached: f.Tokens.Cached} {
		if count != nil {
			*to = *count
		}
	}
	return p
}

// whole is a cost in parts: hundredths, or ten-thousandths of an ACU.
func whole(unit account.Unit, cost float64) int64 {
	if unit == account.ACUs {
		return int64(math.Round(cost * 1e4))
	}
	return int64(math.Round(cost * 100))
}

// byBooks are the rows by the server's own books.
func (l *ledger) byBooks(by string, since time.Time) map[string]parts {
	rows := map[string]parts{}
	for _, s := range l.told {
		if s.At.Truncate(time.Second).Before(since) {
			continue
		}
		key := map[string]string{
			"model": s.Model, "workspace": s.Workspace, "cascade": s.Cascade, "day": s.At.In(l.location).Format(time.DateOnly),
		}[by]
		row := rows[key]
		if row.Costs == nil {
			row.Costs = map[account.Unit]int64{}
		}
		if s.Prompt {
			row.Prompts++
		}
		if s.Answer && len(s.Told) == 0 {
			row.Unknown++
		}
		for unit, cost := range s.Told {
			row.Costs[unit] += cost
		}
		row.Input, row.Output, row.Cached = row.Input+s.Input, row.Output+s.Output, row.Cached+s.Cached
		rows[key] = row
	}
	return rows
}

// spend runs the command, which has to end with a code.
func (l *ledger) spend(code int, args ...string) (sheet, string) {
	l.t.Helper()
	cmd, _ := l.command(append([]string{"spend", "--json"}, args...)...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		l.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		l.t.Fatalf("exit code %d, want %d: %s", got, code, said.String())
	}
	var s sheet
	if err := json.Unmarshal(out.Bytes(), &s); err != nil && code == 0 {
		l.t.Fatalf("%v: %s", err, out.String())
	}
	return s, said.String()
}

// agrees compares what the command tells with the books.
func (l *ledger) agrees(since time.Time, kinds ...string) {
	l.t.Helper()
	for _, by := range kinds {
		from := "all"
		if !since.IsZero() {
			from = since.Format(time.RFC3339)
		}
		s, _ := l.spend(0, "--by", by, "--since", from)
		l.compare(s, since)
	}
}

func (l *ledger) compare(s sheet, since time.Time) {
	l.t.Helper()
	got := map[string]parts{}
	sum := parts{Costs: map[account.Unit]int64{}}
	for _, row := range s.Rows {
		p := row.parts()
		got[row.Key] = p
		sum.Prompts, sum.Unknown = sum.Prompts+p.Prompts, sum.Unknown+p.Unknown
		for unit, cost := range p.Costs {
			sum.Costs[unit] += cost
		}
		sum.Input, sum.Output, sum.Cached = sum.Input+p.Input, sum.Output+p.Output, sum.Cached+p.Cached
	}
	if diff := cmp.Diff(l.byBooks(s.By, since), got); diff != "" {
		l.t.Errorf("by %s since %v, at %v (-books +spend):\n%s", s.By, since, l.at, diff)
	}
	if diff := cmp.Diff(sum, s.Total.parts()); diff != "" {
		l.t.Errorf("by %s (-rows +total):\n%s", s.By, diff)
	}
}

// allKinds are all rows that there are.
var allKinds = []string{"model", "workspace", "cascade", "day"}

// Over months of looks, at any moments, the sums are those of the server's books, of each
// kind of billing.
func TestSpendOverMonths(t *testing.T) {
	t.Parallel()
	for i, scenario := range []string{"teams_credits", "quota_fresh", "quota_tight", "acu", "quota_hidden_daily"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t, simulator.Config{Scenario: scenario})
			l.agrees(time.Time{}, "model")
			// Some looks are before and after what reverts, clears or ends a step.
			odd := l.oddities()
			if len(odd) < 8 {
				t.Fatalf("too little happens: %v", odd)
			}
			for n := len(odd) - 1; n > 0 && i%2 == 1; n -= 2 { // but not at once after it
				odd = slices.Delete(odd, n, n+1)
			}
			for _, at := range slices.SortedFunc(slices.Values(append(odd, l.moments(4)...)), time.Time.Compare) {
				l.moveTo(at)
				l.agrees(time.Time{}, "cascade")
			}
			l.moveTo(l.begin.Add(months))
			l.agrees(time.Time{}, allKinds...)
			l.agrees(l.begin, "model", "day")
			l.agrees(l.at.Add(-50*time.Hour), "workspace")
			asked := l.server.Count()["GetCascadeTrajectorySteps"]
			l.agrees(time.Time{}, "model")
			if again := l.server.Count()["GetCascadeTrajectorySteps"]; again != asked {
				t.Errorf("%d cascades were asked again, and nothing has changed", again-asked)
			}
			if wrong := l.server.Violations(); len(wrong) > 0 {
				t.Error(wrong)
			}
		})
	}
}

// moments are times within the months, in order and at odd distances.
func (l *ledger) moments(n int) (all []time.Time) {
	for i := range n {
		share := (float64(i) + 0.5 + 0.4*math.Sin(float64(i*i))) / float64(n)
		all = append(all, l.begin.Add(time.Duration(share*float64(months))).Truncate(time.Second))
	}
	return all
}

// oddities are those of the server within the months.
func (l *ledger) oddities() []time.Time {
	l.t.Helper()
	all, err := l.server.Oddities(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(at time.Time) bool { return !at.After(l.begin) || !at.Before(l.begin.Add(months)) })
}

// Wherever a reading is killed or interrupted, the next one comes to the same sums.
func TestSpendKilled(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*exec.Cmd){
		"killed":      func(cmd *exec.Cmd) { _ = cmd.Process.Kill() },
		"interrupted": func(cmd *exec.Cmd) { _ = cmd.Process.Signal(os.Interrupt) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t, simulator.Config{
				Cascade: simulator.Cascade{Old: 24}, Delay: 15 * time.Millisecond, DelayRPC: "GetCascadeTrajectorySteps",
			})
			ended := 0
			for i, at := range append(l.moments(4), l.begin.Add(months)) {
				l.moveTo(at)
				for n := 1; ; n++ { // at the first request, then at the second …
					before := len(l.server.Calls())
					cmd, _ := l.command("spend", "--json")
					if err := cmd.Start(); err != nil {
						t.Fatal(err)
					}
					done := make(chan struct{})
					go func() { _ = cmd.Wait(); close(done) }() // the code says how
					through := false
					waitFor(t, "a request or the end", func() bool {
						select {
						case <-done:
							through = true
						default:
						}
						return through || len(l.server.Calls())-before >= n
					})
					if through {
						if code := cmd.ProcessState.ExitCode(); code != 0 {
							t.Errorf("look %d: exit code %d", i, code)
						}
						break
					}
					end(cmd)
					<-done
					ended++
				}
				l.agrees(time.Time{}, "cascade")
			}
			if ended < 20 {
				t.Errorf("ended %d times", ended)
			}
			l.agrees(time.Time{}, allKinds...)
		})
	}
}

// Two readings at once, again and again, count each step once.
func TestSpendTwiceAtOnce(t *testing.T) {
	t.Parallel()
	l := newLedger(t, simulator.Config{Scenario: "quota_tight"})
	for _, at := range l.moments(4) {
		l.moveTo(at)
		var running []*exec.Cmd
		var outputs []*bytes.Buffer
		for range 3 {
			cmd, out := l.command("spend", "--since", "all", "--json")
			cmd.Stderr = nil
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			running, outputs = append(running, cmd), append(outputs, out)
		}
		for i, cmd := range running {
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%v: %s", err, outputs[i])
			}
			var s sheet
			if err := json.Unmarshal(outputs[i].Bytes(), &s); err != nil {
				t.Fatalf("%v: %s", err, outputs[i])
			}
			l.compare(s, time.Time{})
		}
	}
	l.agrees(time.Time{}, allKinds...)
}

// A deleted cascade's figures stay, without its title.
func TestSpendKeepsWhatWasDeleted(t *testing.T) {
	t.Parallel()
	l := newLedger(t, simulator.Config{})
	l.moveTo(l.begin.Add(months))
	l.agrees(time.Time{}, "cascade")
	s, _ := l.spend(0, "--by", "cascade", "--since", "all")
	gone := s.Rows[0]
	if err := l.server.Delete(t.Context(), gone.Key); err != nil {
		t.Fatal(err)
	}
	after, _ := l.spend(0, "--by", "cascade", "--since", "all")
	if row := after.Rows[0]; row.Key != gone.Key || row.Label != gone.Key || gone.Label == gone.Key {
		t.Errorf("%q was called %q, and is %q called %q", gone.Key, gone.Label, row.Key, row.Label)
	}
	if diff := cmp.Diff(s.Total.parts(), after.Total.parts()); diff != "" {
		t.Errorf("total (-before +after):\n%s", diff)
	}
}

// A cascade that cannot be read is named, the others count, and later it does, too.
func TestSpendWithoutACascade(t *testing.T) {
	t.Parallel()
	l := newLedger(t, simulator.Config{})
	l.moveTo(l.begin.Add(months))
	whole, broken := l.told, l.newest()
	l.told = map[string]simulator.Spent{}
	for id, s := range whole {
		if s.Cascade != broken {
			l.told[id] = s
		}
	}
	if err := l.server.Break(t.Context(), broken, true); err != nil {
		t.Fatal(err)
	}
	s, said := l.spend(1, "--by", "model", "--since", "all")
	l.compare(s, time.Time{})
	if strings.TrimSpace(said) == "" {
		t.Error("it says nothing of it")
	}
	if err := l.server.Break(t.Context(), broken, false); err != nil {
		t.Fatal(err)
	}
	l.told = whole
	l.agrees(time.Time{}, allKinds...)
}

// newest is the cascade that began last, of those that tell what they cost. None is a
// branch of it.
func (l *ledger) newest() (id string) {
	began := map[string]time.Time{}
	tells := map[string]bool{}
	for _, s := range l.told {
		if at, ok := began[s.Cascade]; !ok || s.At.Before(at) {
			began[s.Cascade] = s.At
		}
		tells[s.Cascade] = tells[s.Cascade] || s.Told[account.Credits] > 0
	}
	for cascade, at := range began {
		if tells[cascade] && (id == "" || at.After(began[id])) {
			id = cascade
		}
	}
	return id
}

// What runs in the editor is left for later.
func TestSpendLeavesWhatRuns(t *testing.T) {
	t.Parallel()
	l := newLedger(t, simulator.Config{Cascade: simulator.Cascade{Old: 60}})
	l.moveTo(l.begin.Add(months))
	_, said := l.spend(0)
	asked := map[string]bool{}
	for _, call := range l.server.Calls() {
		if call.RPC == "GetCascadeTrajectorySteps" || call.RPC == "GetCascadeTrajectory" {
			asked[call.CascadeID] = true
		}
	}
	running := l.running()
	if len(running) == 0 || !strings.Contains(said, "run") {
		t.Errorf("%d run, and it says %q", len(running), said)
	}
	for _, id := range running {
		if asked[id] {
			t.Errorf("%s was asked while it runs", id)
		}
	}
}

// running are the cascades that run, by the server's word.
func (l *ledger) running() (ids []string) {
	l.t.Helper()
	response, err := l.call(l.server, "GetAllCascadeTrajectories", "{}")
	if err != nil {
		l.t.Fatal(err)
	}
	defer response.Body.Close()
	var listed struct {
		TrajectorySummaries map[string]struct{ Status string }
	}
	if err := json.NewDecoder(response.Body).Decode(&listed); err != nil {
		l.t.Fatal(err)
	}
	for id, s := range listed.TrajectorySummaries {
		if s.Status == "CASCADE_RUN_STATUS_RUNNING" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// While a prompt of Windsock's own runs, no other cascade is asked; what it cost is
// counted once, later.
func TestSpendBesideAPrompt(t *testing.T) {
	t.Parallel()
	l := newLedger(t, simulator.Config{
		Delay: 20 * time.Millisecond, DelayRPC: "GetCascadeTrajectorySteps",
		Cascade: simulator.Cascade{Old: 30, Turn: "slow", Tick: slowly, PanelReady: true},
	})
	l.moveTo(l.begin.Add(months))
	first, firstOut := l.command("spend", "--since", "all")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "a reading under way", func() bool { return l.server.Count()["GetCascadeTrajectorySteps"] >= 3 })
	ask, askOut := l.command("ask", "hello")
	if err := ask.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the prompt", func() bool { return l.server.Count()["SendUserCascadeMessage"] == 1 })
	_ = first.Wait() // what it says is compared
	code, said := l.run("spend", "--since", "all")
	if running := l.server.Count()["ArchiveCascadeTrajectory"] == 0; !running {
		t.Skip("the machine is too slow for a reading within a turn")
	}
	for _, told := range []string{firstOut.String(), said} {
		if !strings.Contains(told, "prompt") || code != 0 {
			t.Errorf("exit code %d: %s", code, told)
		}
	}
	if err := ask.Wait(); err != nil {
		t.Fatalf("%v: %s", err, askOut)
	}
	calls := l.server.Calls()
	sent := slices.IndexFunc(calls, func(c simulator.Call) bool { return c.RPC == "SendUserCascadeMessage" })
	ended := slices.IndexFunc(calls, func(c simulator.Call) bool { return c.RPC == "ArchiveCascadeTrajectory" })
	others := 0
	for _, call := range calls[sent:ended] {
		if strings.HasPrefix(call.RPC, "GetCascadeTrajectory") && call.CascadeID != calls[sent].CascadeID {
			others++
		}
	}
	if others > 0 {
		t.Errorf("%d requests for other cascades between the prompt and its end", others)
	}
	l.moveTo(l.at)
	l.agrees(time.Time{}, allKinds...)
}

// The meters' part: what they moved, and what went elsewhere, to the hundredth.
func TestSpendBesideMeters(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, tt := range []struct {
		scenario   string
		unit       account.Unit
		elsewhere  float64
		step, long time.Duration
	}{
		{"teams_credits", account.Credits, 13.38, 7 * day, months},
		{"acu", account.ACUs, 0.4322, 7 * day, months},
		{"quota_tight", account.Dollars, 1.24, 7 * day, months},
		{"quota_fresh", account.Quota, 6, 11 * time.Hour, 6 * day},
	} {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			begin := time.Now().Add(-months).Truncate(time.Second)
			l := newLedger(t, simulator.Config{Scenario: tt.scenario, Elsewhere: []account.Charge{
				{At: begin.Add(tt.long / 10), Cost: account.Cost{Unit: tt.unit, Amount: tt.elsewhere / 2}},
				{At: begin.Add(tt.long / 10 * 7), Cost: account.Cost{Unit: tt.unit, Amount: tt.elsewhere / 2}},
			}})
			var moved int64
			used := l.used(tt.unit)
			l.status()
			for at := l.begin; at.Before(l.begin.Add(tt.long)); {
				next := at.Add(tt.step)
				if reset := l.reset(tt.unit); at.Before(reset) && !next.Before(reset) {
					// What was used just before a reset is seen, and what was just after it.
					l.moveTo(reset.Add(-time.Second))
					moved, used = moved+l.used(tt.unit)-used, 0
					l.status()
					next = reset
				}
				l.moveTo(next)
				now := l.used(tt.unit)
				moved, used, at = moved+now-used, now, next
				l.status()
			}
			s, _ := l.spend(0, "--since", l.begin.Add(time.Second).Format(time.RFC3339))
			var told int64
			for _, row := range l.byBooks("model", l.begin.Add(time.Second)) {
				told += row.Costs[tt.unit]
			}
			for _, m := range s.Meters {
				if m.ID != meterOf[tt.unit] {
					continue
				}
				if m.Moved == nil || m.Elsewhere == nil {
					t.Fatalf("meters %+v", m)
				}
				if got := whole(tt.unit, *m.Moved); got != moved || told == 0 {
					t.Errorf("moved %d, the account tells %d, and the cascades %d", got, moved, told)
				}
				if got := whole(tt.unit, *m.Elsewhere); got != moved-told || tt.unit != account.Quota && got < whole(tt.unit, tt.elsewhere) {
					t.Errorf("elsewhere %d, want %d, of which %d were planned", got, moved-told, whole(tt.unit, tt.elsewhere))
				}
				return
			}
			t.Errorf("meters %+v", s.Meters)
		})
	}
}

// meterOf is the meter of a unit.
var meterOf = map[account.Unit]string{
	account.Credits: "prompt_credits", account.ACUs: "acu", account.Quota: "daily_quota", account.Dollars: "extra_usage",
}

// accountPlan is a part of what the server tells of a plan.
type accountPlan struct {
	UsedPromptCredits    int64
	OverageBalanceMicros json.Number
	ACUConsumed          float64
	PlanEnd              time.Time

	DailyQuotaRemainingPercent int64
	DailyQuotaResetAtUnix      json.Number
}

// plan is the plan by the server's word.
func (l *ledger) plan() (plan accountPlan) {
	l.t.Helper()
	response, err := l.call(l.server, "GetUserStatus", fmt.Sprintf(`{"metadata":{"apiKey":%q}}`, deskKey))
	if err != nil {
		l.t.Fatal(err)
	}
	defer response.Body.Close()
	answer := struct{ UserStatus struct{ PlanStatus any } }{struct{ PlanStatus any }{&plan}}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		l.t.Fatal(err)
	}
	return plan
}

// used is what the account has used in a unit, in its parts.
func (l *ledger) used(unit account.Unit) int64 {
	l.t.Helper()
	plan := l.plan()
	switch unit {
	case account.Credits:
		return plan.UsedPromptCredits // there are enough, so that none of the flex credits is used
	case account.ACUs:
		return whole(unit, plan.ACUConsumed)
	case account.Quota:
		return 10_000 - 100*plan.DailyQuotaRemainingPercent
	default:
		micros, err := plan.OverageBalanceMicros.Int64()
		if err != nil {
			l.t.Fatal(err)
		}
		return -micros / 10_000
	}
}

// reset is the end of the window that has the unit's meter; zero for the balance, which
// has none.
func (l *ledger) reset(unit account.Unit) time.Time {
	l.t.Helper()
	switch unit {
	case account.Dollars:
		return time.Time{}
	case account.Quota:
		at, err := l.plan().DailyQuotaResetAtUnix.Int64()
		if err != nil {
			l.t.Fatal(err)
		}
		return time.Unix(at, 0)
	default:
		return l.plan().PlanEnd
	}
}

// status lets windsock record the meters, and look what the cascades have cost.
func (l *ledger) status() {
	l.t.Helper()
	if code, told := l.run("status"); code != 0 {
		l.t.Fatalf("exit code %d: %s", code, told)
	}
	l.spend(0)
}
