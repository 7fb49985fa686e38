package alert

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// playPlans runs a script with the answers about several plans on each line:
//
//	+5m a daily=15; b kept | Daily quota: 15 % left · Windsurf · Pro (a)
//
// Each plan is named by its account, and followed by its figures, by "kept" for its
// last state or by "fail" for that state with an error. One that is not on the line is
// gone. The alerts follow in the order in which they are shown. Events are restart, and
// mute and unmute with a plan and a meter.
func playPlans(t *testing.T, script string) (out string, w *world) {
	t.Helper()
	w = newWorld(t)
	known := map[string]poll.State{}
	var lines []string
	for line := range strings.Lines(script) {
		said, _, _ := strings.Cut(strings.TrimSpace(line), "|")
		if said = strings.TrimSpace(said); said == "" {
			continue
		}
		first, rest, _ := strings.Cut(said, " ")
		switch fields := strings.Fields(rest); first {
		case "restart":
			w.restart(w.watch.Config)
		case "mute", "unmute":
			w.watch.SetMute(t.Context(), known[fields[0]].Snapshot.Plan, usage.MeterID(fields[1]), first == "mute")
		default:
			away, err := time.ParseDuration(first)
			if err != nil {
				t.Fatal(err)
			}
			w.now = w.now.Add(away)
			said = strings.Join(append([]string{said}, w.shows(t, w.plans(strings.Split(rest, ";"), known))...), " | ")
		}
		lines = append(lines, said)
	}
	return strings.Join(lines, "\n"), w
}

// plans are the states of the plans of a line.
func (w *world) plans(parts []string, known map[string]poll.State) (plans poll.Plans) {
	for _, part := range parts {
		fields := strings.Fields(part)
		account := fields[0]
		state := known[account]
		switch fields[1] {
		case "kept":
			state.Err = nil
		case "fail":
			state.Err = errors.New("no answer")
		default:
			state, _ = w.answer(append(fields[1:], "account="+account))
			state.Snapshot.Source.App = "Windsurf"
			state.Name = "windsurf:" + account
			known[account] = state
		}
		state.At = w.now
		plans = append(plans, state)
	}
	return plans
}

// shows shows all alerts that are due.
func (w *world) shows(t *testing.T, plans poll.Plans) (told []string) {
	t.Helper()
	for a := w.watch.See(t.Context(), plans); a != nil; a = w.watch.Again(t.Context()) {
		title := a.Title(words.Words{})
		if also := a.others(words.Words{}); also != "" {
			title += ". " + also
		}
		told = append(told, title)
		w.watch.Told(t.Context(), *a)
	}
	return told
}

func TestPlanSequences(t *testing.T) {
	t.Parallel()
	for _, tt := range []sequence{
		{"the_gravest_first_and_none_swallowed", `
			+5m a daily=15; b daily=0 weekly=3; c weekly=4 | Daily quota: used up · Windsurf · Pro (b). Also: Weekly quota 3 % left. | Weekly quota: 4 % left · Windsurf · Pro (c) | Daily quota: 15 % left · Windsurf · Pro (a)
			+5m a daily=15; b daily=0 weekly=3; c weekly=4
			restart
			+5m a daily=15; b daily=0 weekly=3; c weekly=4
		`},
		{"a_plan_goes_and_comes_back", `
			+5m a daily=15; b daily=15; c daily=50 | Daily quota: 15 % left · Windsurf · Pro (a) | Daily quota: 15 % left · Windsurf · Pro (b)
			+5m a daily=14; c daily=50
			+5m a daily=14; c daily=15 | Daily quota: 15 % left · Windsurf · Pro (c)
			+5m a daily=14; b daily=14; c daily=14
			restart
			+5m a daily=14; c daily=14
			+5m a daily=14; b daily=4; c daily=14 | Daily quota: 4 % left · Windsurf · Pro (b)
		`},
		{"an_account_changes_on_one_of_three", `
			+5m a daily=15; b daily=15; c daily=50 | Daily quota: 15 % left · Windsurf · Pro (a) | Daily quota: 15 % left · Windsurf · Pro (b)
			mute c daily_quota
			+5m a daily=15; d daily=4; c daily=3 | Daily quota: 4 % left · Windsurf · Pro (d)
			+5m a daily=15; d daily=4; c daily=3
			+5m a daily=15; b daily=15; c daily=3
			+5m a daily=15; d daily=4; c daily=3
			unmute c daily_quota
			+5m a daily=15; d daily=4; c daily=3 | Daily quota: 3 % left · Windsurf · Pro (c)
		`},
		{"a_mute_is_of_one_plan", `
			+5m a daily=50; b daily=50
			mute b daily_quota
			+5m a daily=15; b daily=15 | Daily quota: 15 % left · Windsurf · Pro (a)
			+5m a daily=15
			+5m a daily=15; b daily=4
			restart
			+5m a daily=15; b daily=4
		`},
		{"one_fails_or_has_nothing_new", `
			+5m a daily=50; b daily=15 | Daily quota: 15 % left · Windsurf · Pro (b)
			+5m a daily=15; b fail | Daily quota: 15 % left · Windsurf · Pro (a)
			+5m a fail; b kept
			+5m a kept; b daily=4 | Daily quota: 4 % left · Windsurf · Pro (b)
		`},
		{"one_plan_has_no_name", `
			+5m a daily=15 | Daily quota: 15 % left
			+5m a daily=4; b daily=50 | Daily quota: 4 % left · Windsurf · Pro (a)
			+5m b daily=15 | Daily quota: 15 % left
		`},
		{"the_name_of_the_plan", `
			+5m a daily=15; b plan=Teams daily=15 | Daily quota: 15 % left · Windsurf · Pro | Daily quota: 15 % left · Windsurf · Teams
		`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, _ := playPlans(t, tt.script)
			if diff := cmp.Diff(trimmed(tt.script), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMutesOfPlans(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		want         []string
	}{
		{"in_their_order", "+5m a daily=50 weekly=50; b daily=50", []string{"windsurf:a daily_quota", "windsurf:a weekly_quota", "windsurf:b daily_quota"}},
		{"gone", "+5m a daily=50; b daily=50\n+5m b kept", []string{"windsurf:b daily_quota"}},
		{"back", "+5m a daily=50; b daily=50\nmute a daily_quota\n+5m b kept\n+5m a daily=50; b kept", []string{"windsurf:a daily_quota muted", "windsurf:b daily_quota"}},
		{"failing", "+5m a daily=50; b daily=50\n+5m a fail; b fail", []string{"windsurf:a daily_quota", "windsurf:b daily_quota"}},
		{"of_no_plan", "+5m a daily=50\n+5m b daily=50\nmute a daily_quota", []string{"windsurf:b daily_quota"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, w := playPlans(t, tt.script)
			var got []string
			for _, m := range w.watch.Mutes() {
				on := ""
				if m.On {
					on = " muted"
				}
				got = append(got, m.Name+" "+string(m.Meter)+on)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// While a plan is not known to be gone, as before the first answer of another variant,
// what is known of it stays.
func TestWatchKeepsPlansWithoutFigures(t *testing.T) {
	t.Parallel()
	_, w := playPlans(t, "+5m a daily=50; b daily=50")
	w.watch.See(t.Context(), poll.Plans{{At: w.now}})
	if n := len(w.watch.Mutes()); n != 2 {
		t.Errorf("%d meters to mute", n)
	}
}

// Plans that are fetched by turns are not saved by turns.
func TestWatchSavesNothingByTurns(t *testing.T) {
	t.Parallel()
	known := map[string]poll.State{}
	w := newWorld(t)
	for i := range 20 {
		w.now = w.now.Add(time.Minute)
		line := []string{"a daily=50", "b daily=50", "c daily=50"}
		if i > 0 {
			line = []string{"a kept", "b kept", "c kept"}
			line[i%3] = strings.Replace(line[i%3], "kept", "daily=50", 1)
		}
		w.shows(t, w.plans(line, known))
	}
	if w.store.saves != 1 {
		t.Errorf("%d saves", w.store.saves)
	}
}

// What agy told has the time at which it did, and does not go back with the clock.
func TestWatchLeavesOlderAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := func(kind usage.SourceKind, minute int, figures string) string {
		state, _ := w.answer([]string{figures})
		state.Snapshot.Source.Kind = kind
		state.Snapshot.Source.FetchedAt = monday.Add(time.Duration(minute) * time.Minute)
		return strings.Join(w.shows(t, poll.Plans{state}), " | ")
	}
	got := []string{
		at(usage.KindLanguageServer, 5, "daily=50"),
		at(usage.KindStatusLine, 4, "daily=15"),
		at(usage.KindStatusLine, 6, "daily=15"),
		at(usage.KindCLI, 5, "daily=4"),
		at(usage.KindCLI, 7, "daily=4"),
		at(usage.KindLanguageServer, 3, "daily=0"),
	}
	want := []string{"", "", "Daily quota: 15 % left", "", "Daily quota: 4 % left", "Daily quota: used up"}
	if !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}
