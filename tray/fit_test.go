package tray

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat/openai"
	"windsock/usage"
	"windsock/usage/alert"
)

// A menu on GNOME Shell 43 with the AppIndicator extension 46, in pixels, as measured
// there at 1366×768.
const (
	gnomeScreen    = 768
	gnomePanel     = 32
	gnomeRow       = 36
	gnomeSeparator = 13
	gnomeEdges     = 20 // the menu's own, above and below
)

// crowded is a state with every possible text beside its figures.
func crowded(s State) State {
	s.API = &openai.State{On: true, Problem: "Port 42100 is taken, so it is another one this time."}
	s.Unasked = true
	s.Demo, s.Lapse, s.Login, s.Version = true, true, LoginOn, "1.0.0-rc.1"
	for _, p := range s.Plans {
		for _, m := range p.Snapshot.Meters {
			s.Mutes = append(s.Mutes, alert.Mute{Plan: p.Snapshot.Plan, Meter: m.ID, Until: noon.Add(time.Hour)})
		}
	}
	s.Notice = strings.Repeat("The history could not be kept. ", 4)
	s.Failure = "The window could not be opened. `windsock prompt` says why."
	s.Options.Problem = strings.TrimSpace(strings.Repeat("config.toml: something is wrong.\n", 8))
	return s
}

// TestMenuFitsALowScreen: whatever there is to say, the menu is no longer than a
// small laptop's screen on GNOME, and its last row is the one that quits.
func TestMenuFitsALowScreen(t *testing.T) {
	t.Parallel()
	all := states(t)
	for name, state := range all {
		all[name+"_crowded"] = crowded(state)
	}
	every := full(polled(t, debtAnswer, 2*time.Hour))
	every.Plans[0].Err = errNotRunning
	meters := every.Plans[0].Snapshot.Meters
	for len(every.Plans[0].Snapshot.Meters) < 7 { // more than any plan has
		every.Plans[0].Snapshot.Meters = append(every.Plans[0].Snapshot.Meters, meters[1])
	}
	all["every_meter"], all["every_meter_crowded"] = every, crowded(every)
	worst := several(append(leading(family(t), 0)[:1], windsurfs(t, debtAnswer, debtAnswer)...))
	worst.Plans[0].Err = spokenError{"timeout", strings.Repeat("Windsurf did not answer in time and ", 10)}
	for range 2 {
		worst.Plans = append(worst.Plans, severalStates(t)["failing_beside"].Plans[1])
	}
	all["worst"], all["worst_crowded"] = worst, crowded(worst)
	for name, state := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := render(state)
			rows := 0
			for _, row := range v.Rows {
				if row.Label != "" {
					rows++
				}
			}
			high := gnomePanel + gnomeEdges + rows*gnomeRow + len(separators)*gnomeSeparator
			if rows > mostRows || high > gnomeScreen {
				t.Errorf("%d rows end at %d pixels:\n%s", rows, high, v)
			}
			if v.Rows[RowQuit].Label == "" || v.Rows[RowRefresh].Label == "" || v.Rows[RowHeading].Label == "" && v.Rows[rowPlan(0)].Label == "" && state.Plans.HasFigures() {
				t.Errorf("a row is missing:\n%s", v)
			}
			for i := range state.shownPlans() {
				if state.several() && v.Rows[rowPlan(i)].Label == "" {
					t.Errorf("no heading of plan %d:\n%s", i, v)
				}
			}
			if state.Window && v.Rows[RowHistory].Label == "" || state.Settings && v.Rows[RowSettings].Label == "" {
				t.Errorf("nothing to click on:\n%s", v)
			}
			if len(notes(state)) > 0 && v.Rows[rowNote].Label == "" {
				t.Errorf("no note:\n%s", v)
			}
		})
	}
}

// TestMenuShedsInOrder: as long as there is room all rows are visible, and the first
// hidden rows have their content elsewhere, too.
func TestMenuShedsInOrder(t *testing.T) {
	t.Parallel()
	state := full(polled(t, quotaAnswer, 2*time.Minute)) // 2 quotas: 6 rows
	tests := []struct {
		name  string
		notes int
		want  [5]bool // login, the reset of the day, the day's pace, the week, all notes
	}{
		{"all", 2, [5]bool{true, true, true, true, true}},
		{"start_at_login", 3, [5]bool{false, true, true, true, true}},
		{"the_other_reset", 4, [5]bool{false, true, true, true, true}},
		{"a_reset", 5, [5]bool{false, false, true, true, true}},
		{"notes", 6, [5]bool{false, false, true, true, false}},
		{"more_notes", 60, [5]bool{false, false, true, true, false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := state
			s.Options.Problem = strings.TrimSpace(strings.Repeat("config.toml: something is wrong.\n", tt.notes))
			v := render(s)
			seen := func(part string) bool {
				return slices.ContainsFunc(v.Rows[:], func(row Row) bool { return strings.Contains(row.Label, part) })
			}
			got := [5]bool{
				seen("Start at login"), seen("resets in 20h"), seen("Fast day"), seen("Weekly quota"),
				strings.Count(v.String(), "config.toml") == tt.notes,
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, v)
			}
		})
	}
}

// TestMenuShedsByRank: however little room there is, the rows of the highest ranks stay,
// and of two with the same rank the upper one.
func TestMenuShedsByRank(t *testing.T) {
	t.Parallel()
	for room := range planRows {
		var m menu
		for i := range mostRows - room {
			m.add(rowBody(2+i%2), Row{Label: "stays"}, shedNever)
		}
		for _, place := range []string{"upper", "lower"} {
			for rank := shedLogin; rank < shedEnd; rank++ {
				m.add(rowBody(1), Row{Label: place + strconv.Itoa(int(rank))}, rank)
			}
		}
		want := map[string]bool{}
		for i := range room {
			want[[]string{"upper", "lower"}[i%2]+strconv.Itoa(int(shedEnd)-1-i/2)] = true
		}
		got := map[string]bool{}
		rows := m.fit(nil)
		for _, row := range rows[rowBody(1):rowPlan(2)] {
			if row.Label != "" {
				got[row.Label] = true
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("room for %d (-want +got):\n%s", room, diff)
		}
	}
}

func TestMuteRow(t *testing.T) {
	t.Parallel()
	s := full(polled(t, debtAnswer, 2*time.Minute))
	daily := alert.Mute{Plan: ofWindsurf, Meter: usage.DailyQuota, Until: noon.Add(20 * time.Hour)} // used up: no warnings are ahead
	weekly := alert.Mute{Plan: ofWindsurf, Meter: usage.WeeklyQuota, Until: noon.Add(116 * time.Hour)}
	extra := alert.Mute{Plan: ofWindsurf, Meter: usage.ExtraUsage}
	on := func(m alert.Mute) alert.Mute { m.On = true; return m }
	tests := []struct {
		name  string
		mutes []alert.Mute
		want  Row
	}{
		{"none", nil, Row{}},
		{"nothing_more_to_tell", []alert.Mute{daily}, Row{}},
		{"one", []alert.Mute{daily, weekly}, Row{Label: "Mute warnings: Weekly quota (until Sun 08:00)"}},
		{"two", []alert.Mute{weekly, extra}, Row{Label: "Mute warnings: Weekly quota, Extra usage"}},
		{"what_is_not_muted_yet", []alert.Mute{on(weekly), extra}, Row{Label: "Mute warnings: Extra usage"}},
		{"all_muted", []alert.Mute{on(weekly), on(extra)}, Row{Label: "Mute warnings: Weekly quota, Extra usage", Checked: true}},
		{"of_a_plan_that_was", []alert.Mute{on(alert.Mute{Plan: ofWindsurf, Meter: usage.ACU})}, Row{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := s
			s.Mutes = tt.mutes
			if diff := cmp.Diff(tt.want, render(s).Rows[RowMute]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
