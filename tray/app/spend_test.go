package app

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe"
	"windsock/probe/say"
	"windsock/probe/signin"
	"windsock/probe/simulator"
	"windsock/probe/simulator/account"
	"windsock/probe/simulator/simtest"
	"windsock/probe/system/systemtest"
	"windsock/usage"
	"windsock/usage/spend"
)

// spendBench is a person's program among simulated servers.
type spendBench struct {
	*spending

	tb     testing.TB
	system systemtest.Fake
	// ahead is how far its clock is past the present.
	ahead atomic.Int64
}

// newSpendBench is signed in to editors that do not run yet.
func newSpendBench(tb testing.TB) *spendBench {
	tb.Helper()
	home := tb.TempDir()
	b := &spendBench{tb: tb}
	for _, dir := range []string{"Windsurf", "Windsurf - Next"} {
		if err := simtest.SignIn(filepath.Join(home, ".config", dir), simtest.Auth{Key: "sk-ws-01-simulated"}); err != nil {
			tb.Fatal(err)
		}
	}
	now := func() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) }
	p := parts{
		newFinder: func(options ...probe.Option) *probe.Finder {
			return probe.NewFinder(append(options, probe.WithDirs(signin.Below(home)), probe.WithSystem(&b.system))...)
		},
		settings: configAt(filepath.Join(home, "config.toml")), stateDir: filepath.Join(home, "state"),
		serverNow: now, clock: now, speed: 1,
	}
	store := p.history(nil)
	tb.Cleanup(func() { _ = store.Close() })
	b.spending = p.newSpending(store, p.table(store))
	return b
}

func (b *spendBench) set(text string) {
	b.tb.Helper()
	if err := os.WriteFile(b.parts.settings.Path, []byte(text), 0o600); err != nil {
		b.tb.Fatal(err)
	}
}

// serve starts a server of an editor.
func (b *spendBench) serve(ideName string, c simulator.Config) *simulator.Server {
	b.tb.Helper()
	c.Token = systemtest.Token
	server, err := simulator.New(c)
	if err != nil {
		b.tb.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.WithoutCancel(b.tb.Context())) }()
	b.tb.Cleanup(func() {
		if err := errors.Join(server.Close(), <-served); err != nil {
			b.tb.Error(err)
		}
	})
	b.system.Add("--ide_name "+ideName, server.URL())
	return server
}

// quit ends all editors.
func (b *spendBench) quit() { b.system.Procs = nil }

// spentBy is what a server itself counts: hundredths of a credit, tokens and prompts.
type spentBy struct {
	credits       int64
	prompts       int
	input, output uint64
}

func booksOf(servers ...*simulator.Server) (all spentBy) {
	for _, server := range servers {
		for _, s := range server.Spent() {
			all.credits += s.Told[account.Credits]
			all.input += s.Input
			all.output += s.Output
			if s.Prompt {
				all.prompts++
			}
		}
	}
	return all
}

// total is what was spent of a look's plan at all times.
func (b *spendBench) total(look spend.Look) (spend.Report, spentBy) {
	b.tb.Helper()
	report, err := b.Report(b.tb.Context(), spend.Query{Plan: look.Plan, By: spend.ByModel, Until: time.Now().Add(time.Hour)}, look)
	if err != nil {
		b.tb.Fatal(err)
	}
	all := spentBy{credits: report.Total.Credits.Scaled(2), prompts: report.Total.Prompts}
	for to, n := range map[*uint64]*int64{&all.input: report.Total.Input, &all.output: report.Total.Output} {
		if n != nil {
			*to = uint64(max(0, *n))
		}
	}
	return report, all
}

func (b *spendBench) look(plan string) spend.Look {
	b.tb.Helper()
	look, err := b.LookAt(b.tb.Context(), plan, nil)
	if err != nil {
		b.tb.Fatal(err)
	}
	return look
}

func old(n int) simulator.Cascade { return simulator.Cascade{Old: n, PanelReady: true} }

// What is read adds up to what the server spent, of each age, and models have their
// names.
func TestSpendingAddsUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]simulator.Config{
		"today": {Cascade: old(40)}, "older": {Cascade: old(40), Release: simulator.Release2}, "oldest": {Cascade: old(40), Release: simulator.Release1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSpendBench(t)
			server := b.serve("windsurf", c)
			done := 0
			look, err := b.LookAt(t.Context(), "", func(n, _ int) { done = n })
			if err != nil || len(look.Failed) > 0 || done < 30 {
				t.Fatalf("%v, failed %v, %d read", err, look.Failed, done)
			}
			report, got := b.total(look)
			want := booksOf(server)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(spentBy{})); diff != "" || want.credits == 0 {
				t.Errorf("(-want +got):\n%s", diff)
			}
			labels := map[string]string{}
			for _, row := range report.Rows {
				labels[row.Key] = row.Label
			}
			if labels["claude-opus-4-7-medium"] == "claude-opus-4-7-medium" || labels["MODEL_CLAUDE_3_7_SONNET"] != "MODEL_CLAUDE_3_7_SONNET" {
				t.Errorf("labels %v", labels)
			}
			if again := b.look(""); again.Running != look.Running {
				t.Errorf("%+v", again)
			}
			if _, twice := b.total(look); twice != got {
				t.Errorf("a second look: %+v, was %+v", twice, got)
			}
		})
	}
}

// Each editor's cascades are of the plan that it is signed in to. Which one is meant is
// said by a name, or by the settings.
func TestSpendingKeepsPlansApart(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		// plan and lead name the first plan or the second one; "" is none.
		plan, lead string
		want       int
	}{
		{"first", "", "", 0},
		{"product", "windsurf", "", 0},
		{"named", "second", "", 1},
		{"leading", "", "second", 1},
		{"product_leading", "windsurf", "second", 1},
		{"leading_another_product", "", "cursor", 0},
		{"named_not_leading", "first", "second", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newSpendBench(t)
			servers := []*simulator.Server{
				b.serve("windsurf", simulator.Config{Cascade: old(10)}), b.serve("windsurf-next", simulator.Config{Cascade: old(15), Account: "kim"}),
			}
			editors, err := b.editors(t.Context(), "")
			if err != nil || len(editors) != 2 {
				t.Fatal(editors, err)
			}
			salt, err := b.store.Salt(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			names := strings.NewReplacer("first", editors[0].plan.Name(salt), "second", editors[1].plan.Name(salt))
			b.set("[tray]\nplan = \"" + names.Replace(tt.lead) + "\"\n")
			look := b.look(names.Replace(tt.plan))
			_, got := b.total(look)
			want, plan := booksOf(servers[tt.want]), editors[tt.want].plan
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(spentBy{})); diff != "" || look.Plan != plan {
				t.Errorf("plan %s, (-want +got):\n%s", look.Plan.Name(salt), diff)
			}
			if names, err := b.Plans(t.Context()); err != nil || !slices.Equal(names, []string{plan.Name(salt)}) {
				t.Errorf("plans %v, %v", names, err)
			}
			seen, err := b.Look(t.Context(), usage.KeptPlan(plan.Key(salt)), nil) // as the window knows it
			if err != nil || seen.Plan != plan {
				t.Errorf("%v, %v", seen.Plan, err)
			}
			b.quit() // what is kept stays
			look, err = b.LookAt(t.Context(), names.Replace(tt.plan), nil)
			if _, got := b.total(look); say.Exit(err) != 3 || got != want {
				t.Errorf("without an editor: %v, %+v", err, got)
			}
		})
	}
}

// Of the plans that are kept, the leading one is shown while no editor runs.
func TestSpendingLeadsWithoutEditors(t *testing.T) {
	t.Parallel()
	b := newSpendBench(t)
	b.serve("windsurf", simulator.Config{Cascade: old(3)})
	first := b.look("").Plan
	b.quit()
	b.ahead.Store(int64(time.Minute))
	b.serve("windsurf", simulator.Config{Cascade: old(3), Account: "kim"})
	second := b.look("").Plan
	b.quit()
	salt, err := b.store.Salt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for lead, want := range map[string]usage.Plan{first.Name(salt): first, second.Name(salt): second, "": second} { // read last
		b.set("[tray]\nplan = \"" + lead + "\"\n")
		look, _ := b.LookAt(t.Context(), "", nil)
		if report, _ := b.total(look); report.Plan != want.Name(salt) {
			t.Errorf("%q leads to %s", lead, report.Plan)
		}
	}
}

func TestSpendingOfOnePlanInTwoEditors(t *testing.T) {
	t.Parallel()
	b := newSpendBench(t)
	b.serve("windsurf-next", simulator.Config{Cascade: old(30)})
	b.serve("windsurf", simulator.Config{Cascade: old(10)}) // the other's first ten
	look := b.look("")
	if len(look.Cascades) < 25 {
		t.Errorf("%d cascades", len(look.Cascades))
	}
}

// What an answer that names no account tells is of the product's plan, without a hash.
func TestSpendingWithoutAnAccount(t *testing.T) {
	t.Parallel()
	b := newSpendBench(t)
	answers := map[string]string{
		"GetUserStatus":             `{"userStatus":{"planStatus":{"planInfo":{"planName":"Pro","monthlyPromptCredits":50000},"availablePromptCredits":50000}}}`,
		"GetAllCascadeTrajectories": `{"trajectorySummaries":{"c-1":{"stepCount":1,"lastModifiedTime":"2026-02-03T10:00:05Z"}}}`,
		"GetCascadeTrajectorySteps": `{"steps":[{"type":"CORTEX_STEP_TYPE_USER_INPUT","metadata":{"createdAt":"2026-02-03T10:00:00Z","promptCreditsUsed":150}}]}`,
	}
	server := systemtest.Serve(t, systemtest.Token, func(w http.ResponseWriter, r *http.Request) {
		systemtest.Answer(w, http.StatusOK, answers[path.Base(r.URL.Path)])
	})
	b.system.Add("--ide_name windsurf", server.URL)
	b.set("[tray]\nplan = \"windsurf\"\n")
	for _, name := range []string{"", "windsurf"} {
		report, got := b.total(b.look(name))
		if want := (spentBy{credits: 150, prompts: 1}); got != want || report.Plan != "windsurf" {
			t.Errorf("%q: plan %s, %+v", name, report.Plan, got)
		}
	}
	b.quit()
	look, err := b.LookAt(t.Context(), "", nil)
	if _, got := b.total(look); say.Exit(err) != 3 || got.credits != 150 {
		t.Errorf("without an editor: %v, %+v", err, got)
	}
}

// A window whose server does not answer keeps nobody from the others.
func TestSpendingOfADeadWindow(t *testing.T) {
	t.Parallel()
	b := newSpendBench(t)
	server := b.serve("windsurf", simulator.Config{Cascade: old(5)})
	dead := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(dead.Close)
	b.system.Add("--ide_name windsurf", dead.URL)
	b.system.Add("--ide_name windsurf") // the parent of one
	look := b.look("")
	if len(look.Failed) != 1 || look.Failed[0].Cascade.ID != "" || say.Code(look.Failed[0].Err) != "no_port" {
		t.Errorf("failed %v", look.Failed)
	}
	if _, got := b.total(look); got != booksOf(server) {
		t.Errorf("read %+v, spent %+v", got, booksOf(server))
	}
}

// What cannot be read is said in a sentence, with the exit code of its kind.
func TestSpendingFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, plan, settings string
		server               *simulator.Config // nil for none
		exit                 int
		says                 string
	}{
		{"antigravity", "antigravity", "", nil, 2, "Antigravity does not tell what its plan was spent on."},
		{"cursor", "cursor:3fa91c", "", nil, 2, "Cursor does not tell"},
		{"antigravity_alone", "", "[usage]\nvariant = \"antigravity\"\n", nil, 2, "Antigravity does not tell"},
		{"another_word", "vim", "", nil, 2, `There is no plan "vim". windsock status --json has`},
		{"no_hash", "windsurf:", "", nil, 2, `There is no plan "windsurf:". windsock status --json has`},
		{"another_plan", "windsurf:3fa91c", "", &simulator.Config{}, 2, `There is no plan "windsurf:3fa91c". windsock status --json has`},
		{"no_editor", "", "", nil, 3, "is not running"},
		{"no_editor_named", "windsurf:3fa91c", "", nil, 3, "is not running"},
		{"signed_out", "", "", &simulator.Config{Scenario: "signed_out"}, 4, "is not signed in"},
		{"no_cascade", "", "", &simulator.Config{Cascade: simulator.Cascade{Retired: simulator.RetiredUnimplemented}}, 1, "does not tell what the steps of its cascades cost"},
		{"no_call", "", "", &simulator.Config{Cascade: simulator.Cascade{Missing: []string{"GetAllCascadeTrajectories"}}}, 1, "does not tell what the steps"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newSpendBench(t)
			b.set(tt.settings)
			if tt.server != nil {
				b.serve("windsurf", *tt.server)
			}
			_, err := b.LookAt(t.Context(), tt.plan, nil)
			if say.Exit(err) != tt.exit || !strings.Contains(say.Sentence(err, ""), tt.says) {
				t.Errorf("exit %d: %q (%v)", say.Exit(err), say.Sentence(err, ""), err)
			}
		})
	}
	if _, err := newSpendBench(t).Look(t.Context(), usage.Plan{Product: usage.Antigravity}, nil); say.Exit(err) != 2 {
		t.Errorf("%v", err)
	}
}

// The meters are as of now: a look records them.
func TestSpendingRecordsTheMeters(t *testing.T) {
	t.Parallel()
	b := newSpendBench(t)
	b.serve("windsurf", simulator.Config{Cascade: old(5)})
	look := b.look("")
	moves, err := b.store.Moved(t.Context(), look.Plan, time.Now(), time.Now())
	if err != nil || len(moves) == 0 || time.Since(moves[0].From) > time.Minute {
		t.Errorf("%v, %v", moves, err)
	}
}

func TestAmount(t *testing.T) {
	t.Parallel()
	for n, want := range map[float64]usage.Amount{0: usage.Micros(0), 0.07: usage.Micros(70_000), 1e9: usage.Micros(1e15), 1.1e9: {}, math.MaxFloat64: {}} {
		if got := amount(&n); got != want {
			t.Errorf("%v: %v, want %v", n, got, want)
		}
	}
	if got := amount(nil); got.Known() {
		t.Errorf("nothing is %v", got)
	}
}
