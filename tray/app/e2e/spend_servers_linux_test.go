package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/simulator"
	"windsock/probe/simulator/account"
	"windsock/probe/simulator/simtest"
)

// Servers of all ages tell what they can, and what they do not tell is unknown.
func TestSpendByReleases(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		config simulator.Config
		// costs says that some are told, call is the one that the steps come by.
		costs bool
		call  string
	}{
		{"1.8", simulator.Config{Release: simulator.Release0}, false, "GetCascadeTrajectorySteps"},
		{"1.9544", simulator.Config{Release: simulator.Release1}, true, "GetCascadeTrajectorySteps"},
		{"1.9544_quota", simulator.Config{Release: simulator.Release1, Scenario: "quota_fresh"}, false, "GetCascadeTrajectorySteps"},
		{"2.0", simulator.Config{Release: simulator.Release2, Scenario: "quota_fresh"}, true, "GetCascadeTrajectorySteps"},
		{"without_steps", simulator.Config{
			Release: simulator.Release1, Cascade: simulator.Cascade{Missing: []string{"GetCascadeTrajectorySteps"}},
		}, true, "GetCascadeTrajectory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.config.Cascade.Old = 40
			l := newLedger(t, tt.config)
			for _, at := range l.moments(3) {
				l.moveTo(at)
				l.agrees(time.Time{}, "cascade")
			}
			l.agrees(time.Time{}, allKinds...)
			s, _ := l.spend(0, "--since", "all")
			if told := len(s.Total.parts().Costs) > 0; told != tt.costs || s.Total.UnknownSteps == 0 || s.Total.Prompts == 0 {
				t.Errorf("total %+v", s.Total.parts())
			}
			if l.server.Count()[tt.call] == 0 {
				t.Errorf("calls %v", l.server.Count())
			}
		})
	}
}

// Several windows tell of the same cascades, each of which counts once.
func TestSpendOfSeveralWindows(t *testing.T) {
	t.Parallel()
	l := newLedger(t, simulator.Config{Scenario: "acu"})
	c := simulator.Config{Scenario: "acu", At: l.begin, Start: l.begin}
	l.serve(c) // the cascades are those of the same directory
	c.TLS = true
	l.serve(c)
	for _, at := range l.moments(3) {
		l.moveTo(at)
		l.agrees(time.Time{}, "cascade")
	}
	l.agrees(time.Time{}, allKinds...)
	if err := l.servers[1].Stop(); err != nil {
		t.Fatal(err)
	}
	l.servers = append(l.servers[:1], l.servers[2])
	l.moveTo(l.begin.Add(months))
	l.agrees(time.Time{}, allKinds...)
}

// A second account's cascades are no part of the first one's sums.
func TestSpendOfTwoAccounts(t *testing.T) {
	t.Parallel()
	l := newLedger(t, simulator.Config{})
	if err := simtest.SignIn(filepath.Join(l.dir, "home", ".config", "Windsurf - Next"), simtest.Auth{Key: deskKey + "-next"}); err != nil {
		t.Fatal(err)
	}
	next := l.serveAs("windsurf-next", simulator.Config{
		Account: "sam", Scenario: "quota_fresh", At: l.begin, Start: l.begin,
		Cascade: simulator.Cascade{Old: 12, Until: l.begin.Add(months), Dir: filepath.Join(l.dir, "next")},
	})
	l.moveTo(l.begin.Add(months))
	l.agrees(time.Time{}, allKinds...)
	first, _ := l.spend(0, "--since", "all")

	_, kept := l.run("status", "--json")
	other := ""
	for word := range strings.FieldsFuncSeq(kept, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) }) {
		if len(word) == 6 && "windsurf:"+word != first.Plan && strings.Contains(kept, `"account": "`+word+`"`) {
			other = "windsurf:" + word
		}
	}
	second, _ := l.spend(0, "--since", "all", "--plan", other)
	steps, err := next.Spent(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.told = map[string]simulator.Spent{}
	for _, s := range steps {
		l.told[s.ID] = s
	}
	l.compare(second, time.Time{})
	if second.Plan != other || second.Plan == first.Plan || second.Total.QuotaPercent == nil {
		t.Errorf("plans %s and %s, want %s", first.Plan, second.Plan, other)
	}
}

// Without a server that tells anything, what is kept is shown, and why there is nothing
// new.
func TestSpendWithoutAServer(t *testing.T) {
	t.Parallel()
	l := newLedger(t, simulator.Config{Cascade: simulator.Cascade{Old: 30}})
	if _, said := l.spend(0, "--since", "all"); said != "" {
		t.Errorf("it says %q", said)
	}
	want, _ := l.spend(0, "--since", "all")
	if want.Total.Credits == nil {
		t.Fatalf("total %+v", want.Total)
	}
	agree := func(code int, words string) {
		t.Helper()
		got, said := l.spend(code, "--since", "all")
		if diff := cmp.Diff(want.Total.parts(), got.Total.parts()); diff != "" || !strings.Contains(said, words) {
			t.Errorf("it says %q, want %q; total (-before +after):\n%s", said, words, diff)
		}
	}
	if err := l.server.Stop(); err != nil {
		t.Fatal(err)
	}
	agree(3, "is not running")

	l.servers = nil
	off := l.serve(simulator.Config{At: l.begin, Start: l.begin, Cascade: simulator.Cascade{Retired: simulator.RetiredUnimplemented}})
	agree(1, "does not tell what the steps of its cascades cost")
	if n := off.Count()["GetCascadeTrajectorySteps"]; n > 0 {
		t.Errorf("%d requests for steps", n)
	}
	if err := off.Stop(); err != nil {
		t.Fatal(err)
	}

	l.servers = nil
	l.serve(simulator.Config{At: l.begin, Scenario: "signed_out"})
	agree(4, "not signed in")
}

// Where nothing was ever kept, there is nothing to show.
func TestSpendWithNothing(t *testing.T) {
	t.Parallel()
	l := &ledger{desk: newDesk(t), told: map[string]simulator.Spent{}}
	code, said := l.run("spend")
	if code != 3 || !strings.Contains(said, "is not running") || strings.Contains(said, "total") {
		t.Errorf("exit code %d: %s", code, said)
	}
	l.server = l.serve(simulator.Config{})
	s, said := l.spend(0)
	if len(s.Rows) > 0 || s.Total.Prompts > 0 || len(s.Total.parts().Costs) > 0 || said != "" {
		t.Errorf("%+v, and it says %q", s, said)
	}
}

// What a prompt of Windsock's own has cost is in it, once.
func TestSpendHasOwnPrompts(t *testing.T) {
	t.Parallel()
	l := newLedger(t, simulator.Config{Cascade: simulator.Cascade{Old: 8, Turn: "tools", PanelReady: true}})
	l.moveTo(l.begin.Add(months))
	before, _ := l.spend(0, "--since", "all")
	for range 2 {
		if code, said := l.run("ask", "--model", "claude-opus-4-7", "hello"); code != 0 {
			t.Fatal(said)
		}
	}
	l.moveTo(l.at)
	for range 2 {
		l.agrees(time.Time{}, allKinds...)
	}
	after, _ := l.spend(0, "--since", "all")
	cost := after.Total.parts().Costs[account.Credits] - before.Total.parts().Costs[account.Credits]
	if prompts := after.Total.Prompts - before.Total.Prompts; prompts != 2 || cost != 800 {
		t.Errorf("%d prompts cost %d hundredths", prompts, cost)
	}
}
