package tray

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat/openai"
	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/product"
)

// antigravityAnswer lacks what is left of the weekly quota.
const antigravityAnswer = `{"response":{"groups":[
	{"displayName":"Gemini Models","buckets":[
		{"bucketId":"gemini-5h","remaining":{"remainingFraction":0.62},"resetTime":"2026-02-03T15:00:00Z"},
		{"bucketId":"gemini-weekly","remaining":{"remainingFraction":WEEKLY},"resetTime":"2026-02-07T08:00:00Z"}]},
	{"displayName":"Claude and GPT models","buckets":[
		{"bucketId":"3p-5h","remaining":{"remainingFraction":0.73},"resetTime":"2026-02-03T14:00:00Z"},
		{"bucketId":"3p-weekly","remaining":{"remainingFraction":0.64},"resetTime":"2026-02-08T08:00:00Z"}]}]},
	"userStatus":{"userTier":{"name":"Google AI Pro"}}}`

// antigravity is a plan of Antigravity with so much left of its weekly quota.
func antigravity(tb testing.TB, weekly string) poll.State {
	tb.Helper()
	raw := strings.Replace(antigravityAnswer, "WEEKLY", weekly, 1)
	snapshot, err := product.Decode(usage.Antigravity, []byte(raw), usage.Source{
		Kind: usage.KindLanguageServer, Variant: "antigravity", App: "Antigravity", PID: 4244, FetchedAt: noon.Add(-time.Minute),
	})
	if err != nil {
		tb.Fatal(err)
	}
	snapshot = pace.Judge(snapshot, nil, pace.Options{})
	return poll.State{At: noon, Snapshot: snapshot.At(noon), Name: "antigravity", Hash: "5d01aa", Next: noon.Add(3 * time.Minute)}
}

// windsurfs are the plans of two accounts; the first leads.
func windsurfs(tb testing.TB, first, second string) poll.Plans {
	tb.Helper()
	a, b := polled(tb, first, 2*time.Minute), polled(tb, second, 3*time.Minute)
	a.Name, a.Hash, a.Lead = "windsurf:3fa91c", "3fa91c", true
	b.Name, b.Hash = "windsurf:0b77d2", "0b77d2"
	b.Snapshot.Source.App, b.Snapshot.Source.Variant, b.Snapshot.Source.PID = "Windsurf Next", "windsurf-next", 4243
	for i, p := range []*poll.State{&a, &b} {
		p.Snapshot.Plan.Account = usage.NewAccount(string(rune('a' + i)))
	}
	return poll.Plans{a, b}
}

// family are three plans, of two products.
func family(tb testing.TB) poll.Plans {
	tb.Helper()
	tight := strings.NewReplacer(":42", ":8", ":87", ":12").Replace(quotaAnswer)
	return append(windsurfs(tb, quotaAnswer, tight), antigravity(tb, "0.86"))
}

// leading is the list with another leading plan.
func leading(plans poll.Plans, lead int) poll.Plans {
	for i := range plans {
		plans[i].Lead = i == lead
	}
	return plans
}

func several(plans poll.Plans) State {
	s := full(poll.State{})
	s.Plans = plans
	return s
}

// severalStates are states with several plans, for a golden file each.
func severalStates(tb testing.TB) map[string]State {
	tb.Helper()
	gone := append(windsurfs(tb, creditsAnswer, quotaAnswer), antigravity(tb, "0.86"))
	gone[1].Err, gone[1].Snapshot.Source.Stale = errNotRunning, true
	goneLead := several(windsurfs(tb, creditsAnswer, quotaAnswer))
	goneLead.Plans[0].Err, goneLead.Plans[0].Snapshot.Source.Stale = errNotRunning, true

	goneAll := several(append(slices.Clone(goneLead.Plans), antigravity(tb, "0.86")))
	goneAll.Unasked = true
	for i := range goneAll.Plans {
		goneAll.Plans[i].Err, goneAll.Plans[i].Snapshot.Source.Stale = errNotRunning, true
	}

	failing := windsurfs(tb, creditsAnswer, quotaAnswer)[:1]
	failing[0].Name = "windsurf"
	failing = append(failing, poll.State{
		At: noon, Name: "antigravity",
		Err:      spokenError{"no_token", "Antigravity runs, but its language server shows no access token: its flags have none. Restart Antigravity."},
		Snapshot: usage.Snapshot{Source: usage.Source{Kind: usage.KindLanguageServer}, Plan: usage.Plan{Product: usage.Antigravity}},
	})
	bothFail := slices.Clone(failing)
	bothFail[0] = poll.State{At: noon, Name: "windsurf", Lead: true, Err: failing[1].Err, Snapshot: usage.Snapshot{Plan: usage.Plan{Product: usage.Windsurf}}}

	alike := windsurfs(tb, quotaAnswer, quotaAnswer)
	alike[1].Snapshot.Source.App = "Windsurf"

	inDebt := several(append(windsurfs(tb, quotaAnswer, debtAnswer), antigravity(tb, "0.86")))
	inDebt.API = &openai.State{}
	whole := several(family(tb))
	whole.API = &openai.State{}

	muted := several(family(tb))
	next, google := muted.Plans[1].Snapshot.Plan, muted.Plans[2].Snapshot.Plan
	muted.Mutes = []alert.Mute{
		{Plan: muted.Plans[0].Snapshot.Plan, Meter: usage.WeeklyQuota}, // of which enough is left
		{Plan: next, Meter: usage.DailyQuota}, {Plan: next, Meter: usage.WeeklyQuota}, {Plan: google, Meter: usage.ThirdPartyWeekly},
	}
	mutedOne := several(family(tb))
	mutedOne.Mutes = []alert.Mute{{Plan: google, Meter: usage.ThirdPartyWeekly, Until: noon.Add(92 * time.Hour)}}

	crowd := several(append(windsurfs(tb, quotaAnswer, quotaAnswer), failing[1]))
	crowd.Plans[1].Err, crowd.Plans[1].Snapshot.Source.Stale = errNotRunning, true
	crowd.Options.Problem = "config.toml, line 3: usage.interval is \"5x\"."

	five := append(family(tb), windsurfs(tb, lowAnswer, unlimitedAnswer)...)
	five[3].Name, five[3].Hash, five[4].Name, five[4].Hash = "windsurf:aaaaaa", "aaaaaa", "windsurf:bbbbbb", "bbbbbb"
	five = leading(five, 4)

	return map[string]State{
		"two_accounts":           several(windsurfs(tb, creditsAnswer, quotaAnswer)),
		"family":                 whole,
		"family_in_debt":         inDebt,
		"family_to_mute":         muted,
		"family_to_mute_one":     mutedOne,
		"family_next_leads":      several(leading(family(tb), 1)),
		"family_google_leads":    several(leading(family(tb), 2)),
		"used_up_beside":         several(append(windsurfs(tb, creditsAnswer, exhaustedAnswer), antigravity(tb, "0"))),
		"gone_beside":            several(gone),
		"gone_but_leading":       goneLead,
		"gone_all":               goneAll,
		"failing_beside":         several(failing),
		"failing_in_a_crowd":     crowd,
		"failing_both":           several(bothFail),
		"two_accounts_of_an_app": several(alike),
		"five_plans":             several(five),
	}
}

// TestOthersLeaveTheIconAlone: what happens to a plan that does not lead changes
// neither the icon nor the title.
func TestOthersLeaveTheIconAlone(t *testing.T) {
	t.Parallel()
	alone := full(polled(t, creditsAnswer, 2*time.Minute))
	for _, other := range []string{quotaAnswer, criticalAnswer, exhaustedAnswer, extraAnswer, unlimitedAnswer, rolledOverAnswer} {
		s := several(windsurfs(t, creditsAnswer, other))
		if gauge(s) != gauge(alone) || title(s) != title(alone) {
			t.Errorf("%v, %q beside %s", gauge(s), title(s), other)
		}
	}
}

func TestActorChoosesTheLeadingPlan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var chosen []string
		var fails error
		s := play(t, func(a *App) {
			a.Lead = func(plan string) error { chosen = append(chosen, plan); return fails }
		})
		click := func(heading int, want ...string) {
			t.Helper()
			chosen = nil
			s.click(rowPlan(heading))
			if diff := cmp.Diff(want, chosen); diff != "" {
				t.Errorf("heading %d (-want +got):\n%s", heading, diff)
			}
		}
		s.send(polled(t, creditsAnswer, 0))
		click(0) // hidden: one plan has no choice
		s.send(family(t)...)
		click(2, "antigravity")
		click(1, "windsurf:0b77d2")
		click(0, "windsurf:3fa91c") // leads by itself, and from now on by choice
		click(3)
		s.taken()
		s.click(rowPlan(1))
		if diff := cmp.Diff([]string{"checked " + row(rowPlan(1)) + " false"}, s.taken()); diff != "" {
			t.Errorf("the mark that a panel may have moved (-want +got):\n%s", diff)
		}
		s.send(leading(family(t), 1)...)
		if rows := s.seen().Rows; rows[rowPlan(0)].Checked || !rows[rowPlan(1)].Checked || rows[rowPlan(2)].Checked {
			t.Errorf("%s", s.seen())
		}
		fails = spokenError{"", "The settings cannot be written."}
		click(2, "antigravity")
		if got := s.label(rowNote); got != "The settings cannot be written." {
			t.Errorf("failure: %q", got)
		}
		s.send(severalStates(t)["failing_beside"].Plans...)
		click(1) // has no figures to lead with
		unnamed := windsurfs(t, creditsAnswer, quotaAnswer)
		unnamed[1].Name, unnamed[1].Hash = "windsurf:2", "" // as without a salt
		s.send(unnamed...)
		click(1)
	})
}

// TestActorManagesTheLeadingPlan: there is a row only where a page is known.
func TestActorManagesTheLeadingPlan(t *testing.T) {
	t.Parallel()
	s := several(leading(append(windsurfs(t, creditsAnswer, acuAnswer), antigravity(t, "0.86")), 1))
	if got := s.planPage(); got != "https://app.devin.ai/settings/usage" {
		t.Errorf("page %q", got)
	}
	s.Plans = leading(s.Plans, 2)
	s.Diagnostics, s.Login = false, LoginUnknown // so that there is room
	s.Plans = s.Plans[1:]
	if got := render(s).Rows[RowManage]; got != (Row{}) {
		t.Errorf("row %+v", got)
	}
}

func TestActorLogsEachPlan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, nil)
		plans := func(change func(poll.Plans)) []poll.State {
			all := append(windsurfs(t, creditsAnswer, quotaAnswer), antigravity(t, "0.86"))
			change(all)
			return all
		}
		steps := []func(poll.Plans){
			func(poll.Plans) {}, func(poll.Plans) {},
			func(p poll.Plans) { p[1].Err = errNotRunning },
			func(p poll.Plans) { p[1].Fetching = true },
			func(p poll.Plans) { p[1].Err = errNotRunning },
			func(poll.Plans) {},
		}
		for _, step := range steps {
			s.send(plans(step)...)
		}
		s.send(plans(func(poll.Plans) {})[:1]...)
		s.send(plans(func(poll.Plans) {})[:2]...)
		s.end()
		var got []string
		for line := range strings.Lines(s.log.String()) {
			_, message, _ := strings.Cut(strings.TrimSpace(line), "level=INFO ")
			got = append(got, message)
		}
		want := []string{
			`msg="figures had" plan=windsurf:3fa91c variant=windsurf pid=4242 billing=credits`,
			`msg="figures had" plan=windsurf:0b77d2 variant=windsurf-next pid=4243 billing=quota`,
			`msg="figures had" plan=antigravity variant=antigravity pid=4244 billing=quota`,
			`msg="no figures" plan=windsurf:0b77d2 code=not_running err="find server: not_running"`,
			`msg="figures had" plan=windsurf:0b77d2 variant=windsurf-next pid=4243 billing=quota`,
			`msg="figures had" plan=windsurf:0b77d2 variant=windsurf-next pid=4243 billing=quota`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestPlanNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		want bool
	}{
		{"", false},
		{"windsurf", true},
		{"antigravity", true},
		{"windsurf:3fa91c", true},
		{"windsurf-next", false},
		{"windsurf:", false},
		{"windsurf:2", false},
		{"windsurf:3FA91C", false},
		{"windsurf:3fa91c0", false},
		{"cursor:3fa91c", true},
		{"devin:3fa91c", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := isPlanName(tt.name); got != tt.want {
				t.Errorf("%v", got)
			}
		})
	}
}
