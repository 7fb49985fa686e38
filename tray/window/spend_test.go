package window

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tidwall/gjson"

	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/spend"
	"windsock/usage/words"
)

// spendFake is what was spent of a plan.
type spendFake struct {
	look func(ctx context.Context, plan usage.Plan, progress func(done, total int)) (spend.Look, error)

	mu     sync.Mutex // guards the fields below
	report spend.Report
	broken error
	asked  spend.Query
	named  spend.Look
}

func (f *spendFake) Look(ctx context.Context, plan usage.Plan, progress func(done, total int)) (spend.Look, error) {
	return f.look(ctx, plan, progress)
}

func (f *spendFake) Report(_ context.Context, q spend.Query, look spend.Look) (spend.Report, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked, f.named = q, look
	report := f.report
	report.By = q.By
	return report, f.broken
}

// query is what was last asked for, and the look that named its rows.
func (f *spendFake) query() (spend.Query, spend.Look) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked, f.named
}

func ofCredits(n float64) spend.Costs {
	return spend.Costs{Credits: usage.Micros(int64(n * usage.One))}
}

// twoModels have all that a row can have; the second one tells nothing.
func twoModels() spend.Report {
	opus := spend.Figures{
		Prompts: 1200, Costs: spend.Costs{Credits: usage.Micros(4_500_000), QuotaPercent: usage.Micros(0), OverageUSD: usage.Micros(1_250_000)},
		Tokens: spend.Tokens{Input: new(int64(1_204_100)), Output: new(int64(50_400)), Cached: new(int64(0))}, ModelSteps: 40, UnknownSteps: 2,
	}
	cheap := spend.Figures{Prompts: 1, Costs: ofCredits(1.5), ModelSteps: 1}
	total := opus.Plus(cheap).Plus(spend.Figures{ModelSteps: 3, UnknownSteps: 3})
	return spend.Report{
		Total: total, Read: noon.Add(-time.Hour),
		Rows: []spend.Row{
			{Key: "claude-opus", Label: "Claude Opus", Figures: opus, Days: 3},
			{Key: "swe-1", Label: "SWE \u202e1", Figures: cheap, Days: 1},
			{Label: "unknown", Figures: spend.Figures{ModelSteps: 3, UnknownSteps: 3}, Days: 1},
		},
		Meters: []spend.Moved{{Meter: usage.PromptCredits, Moved: usage.Micros(7_000_000), Elsewhere: usage.Micros(1_000_000)}},
	}
}

// list is a list of sentences in JSON.
func list(t *testing.T, sentences []string) string {
	t.Helper()
	text, err := json.Marshal(append([]string{}, sentences...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSpend(t *testing.T) {
	t.Parallel()
	report := twoModels()
	report.By = spend.ByModel
	f := &fake{spend: &spendFake{report: report}}
	p := enter(t, f, nil)
	want := `{"plan":"windsurf","untold":"","cycle":true,"columns":["Credits","Extra usage","Prompts","per prompt","per day","Tokens in","cached","Tokens out"],` +
		`"rows":[{"key":"claude-opus","label":"Claude Opus","share":100,"cells":["4.5","$1.25","1,200","<0.01","1.5","1,204,100","0","50,400"],"note":"2 of 40 steps tell no cost"},` +
		`{"key":"swe-1","label":"SWE ` + "\u202e" + `1","share":33.333333,"cells":["1.5",null,"1","1.5","1.5",null,null,null],"note":""},` +
		`{"key":"","label":"unknown","share":null,"cells":[null,null,"0",null,null,null,null,null],"note":"3 of 3 steps tell no cost"}],` +
		`"total":["6","$1.25","1,201","<0.01","","1,204,100","0","50,400"],"empty":"",` +
		`"words":` + list(t, report.Sentences(words.Words{})) + `,` +
		`"notes":[],"problem":"","reading":null}`
	if diff := cmp.Diff(want, p.do("GET", "/api/usage/spend", "", nil).body); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSpendQuery(t *testing.T) {
	t.Parallel()
	cycle, until := time.Date(2026, 1, 18, 9, 7, 17, 0, time.UTC), noon.Add(time.Second)
	of := usage.Plan{Product: usage.Windsurf}
	query := func(by spend.By, since time.Time, only map[spend.By]string) spend.Query {
		return spend.Query{Plan: of, By: by, Since: since, Until: until, Only: only}
	}
	tests := []struct {
		name, query string
		want        spend.Query // none if it is refused
	}{
		{"nothing_said", "", query(spend.ByModel, cycle, nil)},
		{"cycle_by_day", "by=day&range=cycle", query(spend.ByDay, cycle, nil)},
		{"week_by_workspace", "by=workspace&range=7d", query(spend.ByWorkspace, noon.AddDate(0, 0, -7), nil)},
		{"narrowed", "by=cascade&range=90d&model=m%26m&day=2026-02-03", query(spend.ByCascade, noon.AddDate(0, 0, -90), map[spend.By]string{spend.ByModel: "m&m", spend.ByDay: "2026-02-03"})},
		{"narrowed_to_the_unknown", "by=cascade&range=30d&model=", query(spend.ByCascade, noon.AddDate(0, 0, -30), map[spend.By]string{spend.ByModel: ""})},
		{name: "by_what_it_is_narrowed_to", query: "by=model&model=m"},
		{name: "no_such_way", query: "by=person"},
		{name: "no_such_time", query: "range=2d"},
	}
	f := &fake{spend: &spendFake{}}
	p := enter(t, f, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { //nolint:paralleltest // they ask one window
			for _, path := range []string{"/api/usage/spend?", "/api/usage/spend.csv?"} {
				got := p.do("GET", path+tt.query, "", nil)
				if tt.want.By == "" {
					if got.status != 422 || got.code != "query" {
						t.Errorf("%s: %+v", path, got)
					}
					continue
				}
				asked, _ := f.spend.query()
				if diff := cmp.Diff(tt.want, asked, cmpopts.EquateEmpty(), cmp.Comparer(func(a, b usage.Plan) bool { return a == b })); got.status != 200 || diff != "" {
					t.Errorf("%s: %d (-want +got):\n%s", path, got.status, diff)
				}
			}
		})
	}
}

func TestSpendCSV(t *testing.T) {
	t.Parallel()
	f := &fake{spend: &spendFake{report: twoModels()}}
	p := enter(t, f, nil)
	got := p.do("GET", "/api/usage/spend.csv?by=model", "", nil)
	var want strings.Builder
	report := twoModels()
	report.By = spend.ByModel
	if err := spend.WriteCSV(&want, report); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(want.String()), got.body); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.header.Get("Content-Type") != "text/csv; charset=utf-8" || got.header.Get("Content-Disposition") != `attachment; filename="windsock-spend.csv"` {
		t.Errorf("headers %v", got.header)
	}
	f.spend.broken = spoken{"damaged", "The history is damaged."}
	for _, path := range []string{"/api/usage/spend", "/api/usage/spend.csv"} {
		if got := p.do("GET", path, "", nil); got.status != 503 || got.code != "damaged" {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

// The path of a workspace is in no address, which a browser may keep.
func TestSpendNamesWorkspaces(t *testing.T) {
	t.Parallel()
	const uri = "file:///home/robin/secret"
	f := &fake{spend: &spendFake{report: spend.Report{Rows: []spend.Row{{Key: "file:///else"}, {Key: uri, Label: "secret"}, {Label: "unknown"}}}}}
	p := enter(t, f, nil)
	for range 2 { // a name stays
		body := p.do("GET", "/api/usage/spend?by=workspace", "", nil).body
		if got := gjson.Get(body, "rows.#.key").Raw; got != `["0","1",""]` || strings.Contains(body, uri) {
			t.Errorf("told %s", body)
		}
	}
	for name, want := range map[string]string{"1": uri, "": "", "2": "2", "-1": "-1"} {
		p.do("GET", "/api/usage/spend?by=model&workspace="+name, "", nil)
		if q, _ := f.spend.query(); q.Only[spend.ByWorkspace] != want {
			t.Errorf("%q stands for %q, want %q", name, q.Only[spend.ByWorkspace], want)
		}
	}
}

// Days have words, and the last one comes first.
func TestSpendByDay(t *testing.T) {
	t.Parallel()
	f := &fake{spend: &spendFake{report: spend.Report{Rows: []spend.Row{{Key: "2026-02-02", Label: "2026-02-02"}, {Key: "2026-02-03", Label: "2026-02-03"}}}}}
	body := enter(t, f, nil).do("GET", "/api/usage/spend?by=day", "", nil).body
	if diff := cmp.Diff(`["Tue 3 Feb","Mon 2 Feb"]`, gjson.Get(body, "rows.#.label").Raw); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSpendOfOtherProducts(t *testing.T) {
	t.Parallel()
	p := enter(t, &fake{others: []poll.State{other(t)}}, nil)
	const untold = "Antigravity does not tell what its plan was spent on."
	got := p.do("GET", "/api/usage/spend?plan=antigravity", "", nil)
	if plan := gjson.Get(got.body, "plan").Str; plan != "antigravity" || gjson.Get(got.body, "untold").Str != untold {
		t.Errorf("%+v", got)
	}
	for _, got := range []response{p.do("POST", "/api/usage/spend/read", `{"plan":"antigravity"}`, nil), p.do("GET", "/api/usage/spend.csv?plan=antigravity", "", nil)} {
		if got.status != 404 || got.code != "untold" || !strings.Contains(got.body, untold) {
			t.Errorf("%+v", got)
		}
	}
}

// A reading tells how far it is, in at most a hundred events; another one waits for it.
func TestSpendIsRead(t *testing.T) {
	t.Parallel()
	began, goOn := make(chan struct{}), make(chan struct{})
	named := spend.Look{At: noon, Cascades: map[string]spend.Cascade{"c": {Title: "A title"}}}
	f := &fake{spend: &spendFake{}}
	f.spend.look = func(_ context.Context, plan usage.Plan, progress func(done, total int)) (spend.Look, error) {
		if plan.Product != usage.Windsurf {
			t.Errorf("read %v", plan)
		}
		progress(0, 1000)
		close(began)
		<-goOn
		for done := range 1000 {
			progress(done+1, 1000)
		}
		return named, nil
	}
	p := enter(t, f, nil)
	lines, _ := p.events("")
	next(t, lines, "usage")
	for range 2 {
		if got := p.do("POST", "/api/usage/spend/read", `{}`, nil); got.status != 202 || got.body != `{"plan":"windsurf"}` {
			t.Errorf("%+v", got)
		}
		<-began
	}
	if got := gjson.Get(p.do("GET", "/api/usage/spend", "", nil).body, "reading").Raw; got != `{"done":0,"total":1000}` {
		t.Errorf("meanwhile: %s", got)
	}
	close(goOn)
	all := heard(t, lines, "spend", `"reading":null`, nobody)
	if len(all) != 102 || all[1] != `{"plan":"windsurf","reading":{"done":10,"total":1000}}` {
		t.Errorf("%d events: %s", len(all), all)
	}
	if got := gjson.Get(p.do("GET", "/api/usage/spend", "", nil).body, "reading").Raw; got != "null" {
		t.Errorf("after it: %s", got)
	}
	if _, look := f.spend.query(); look.Cascades["c"].Title != "A title" {
		t.Errorf("named by %v", look)
	}
}

// What a reading could not do is told, beside what is kept and its age.
func TestSpendIsNotRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		look    spend.Look
		err     error
		problem string
	}{
		{"no_editor", spend.Look{}, spoken{"not_running", "Windsurf is not running. Start it."}, "Showing figures of 11:00 (Windsurf is not running)"},
		{"broken", spend.Look{}, errors.New("EOF"), "Showing figures of 11:00 (What was spent could not be read)"},
		{"own_prompt", spend.Look{Busy: true}, nil, ""},
		{"another_turn", spend.Look{Running: 1}, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			named := map[string]spend.Cascade{"c": {Title: "A title"}}
			looks := []spend.Look{{Cascades: named}, tt.look}
			errs := []error{nil, tt.err}
			f := &fake{spend: &spendFake{report: twoModels()}}
			f.spend.look = func(context.Context, usage.Plan, func(done, total int)) (look spend.Look, err error) {
				look, err, looks, errs = looks[0], errs[0], looks[1:], errs[1:]
				return look, err
			}
			p := enter(t, f, nil)
			lines, _ := p.events("")
			for range 2 {
				p.do("POST", "/api/usage/spend/read", `{"plan":"windsurf"}`, nil)
				heard(t, lines, "spend", `"reading":null`, nobody)
			}
			body := p.do("GET", "/api/usage/spend", "", nil).body
			if got := gjson.Get(body, "problem").Str; got != tt.problem {
				t.Errorf("problem %q, want %q", got, tt.problem)
			}
			if got, want := gjson.Get(body, "notes").Raw, list(t, tt.look.Sentences()); got != want {
				t.Errorf("notes %s, want %s", got, want)
			}
			if _, look := f.spend.query(); !cmp.Equal(look.Cascades, named) { // the names of before
				t.Errorf("named by %v", look.Cascades)
			}
			if strings.Contains(p.log.String(), "A title") {
				t.Error("a title is in the log")
			}
		})
	}
}

// A reading ends with the window.
func TestSpendReadingEnds(t *testing.T) {
	t.Parallel()
	began, ended := make(chan struct{}), make(chan struct{})
	f := &fake{spend: &spendFake{look: func(ctx context.Context, _ usage.Plan, _ func(done, total int)) (spend.Look, error) {
		close(began)
		<-ctx.Done()
		close(ended)
		return spend.Look{}, ctx.Err()
	}}}
	p := enter(t, f, nil)
	p.do("POST", "/api/usage/spend/read", "{}", nil)
	<-began
	p.window.mu.Lock()
	served := p.window.served
	p.window.mu.Unlock()
	served.revoke()
	<-ended
}
