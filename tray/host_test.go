package tray

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/tray/icon"
)

// fakeHost is a desktop that behaves like systray, with the worst of each system: an
// update shows a hidden row. It also counts calls.
type fakeHost struct {
	mu      sync.Mutex // guards all of it; tests look in from outside
	icon    icon.Icon
	title   string
	tooltip string
	rows    [rowCount]fakeRow
	calls   []string
}

type fakeRow struct {
	Label                   string
	Faint, Checked, Visible bool
}

func (h *fakeHost) SetIcon(i icon.Icon) { defer h.called("icon %v", i)(); h.icon = i }
func (h *fakeHost) SetTitle(s string)   { defer h.called("title %s", s)(); h.title = s }
func (h *fakeHost) SetTooltip(s string) { defer h.called("tooltip %s", s)(); h.tooltip = s }

func (h *fakeHost) SetLabel(r RowID, text string) {
	defer h.called("label %d %s", r, text)()
	h.rows[r].Label, h.rows[r].Visible = text, true
}

func (h *fakeHost) SetFaint(r RowID, faint bool) {
	defer h.called("faint %d %v", r, faint)()
	h.rows[r].Faint, h.rows[r].Visible = faint, true
}

func (h *fakeHost) SetChecked(r RowID, checked bool) {
	defer h.called("checked %d %v", r, checked)()
	h.rows[r].Checked, h.rows[r].Visible = checked, true
}

func (h *fakeHost) SetVisible(r RowID, visible bool) {
	defer h.called("visible %d %v", r, visible)()
	h.rows[r].Visible = visible
}

func (h *fakeHost) called(format string, args ...any) func() {
	h.mu.Lock()
	h.calls = append(h.calls, fmt.Sprintf(format, args...))
	return h.mu.Unlock
}

// taken are the calls since the last time.
func (h *fakeHost) taken() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	calls := h.calls
	h.calls = nil
	return calls
}

// seen is the visible part, as a View.
func (h *fakeHost) seen() View {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := View{Icon: h.icon, Title: h.title, Tooltip: h.tooltip}
	for i, row := range h.rows {
		if row.Visible {
			v.Rows[i] = Row{Label: row.Label, Faint: row.Faint, Checked: row.Checked}
		}
	}
	return v
}

func TestApplyPushesDifferencesOnly(t *testing.T) {
	t.Parallel()
	shown := View{Title: "91%", Tooltip: "tip"}
	shown.Rows[RowRefresh] = Row{Label: "Refresh now"}
	shown.Rows[RowQuit] = Row{Label: "Quit"}
	change := func(f func(*View)) View {
		v := shown
		f(&v)
		return v
	}
	tests := []struct {
		name string
		next View
		want []string
	}{
		{"nothing", shown, nil},
		{"icon", change(func(v *View) { v.Icon.Band = icon.OK; v.Icon.Level = 3 }), []string{"icon ok 3/10"}},
		{"title_and_tooltip", change(func(v *View) { v.Title, v.Tooltip = "90%", "tap" }), []string{"title 90%", "tooltip tap"}},
		{"label", change(func(v *View) { v.Rows[RowRefresh].Label = "x" }), []string{"label " + row(RowRefresh) + " x"}},
		{"faint", change(func(v *View) { v.Rows[RowRefresh].Faint = true }), []string{"faint " + row(RowRefresh) + " true"}},
		{"hide", change(func(v *View) { v.Rows[RowRefresh] = Row{} }), []string{"visible " + row(RowRefresh) + " false"}},
		{"hide_whatever_else_changes", change(func(v *View) { v.Rows[RowRefresh] = Row{Faint: true, Checked: true} }), []string{"visible " + row(RowRefresh) + " false"}},
		{"hidden_stays_untouched", change(func(v *View) { v.Rows[RowLogin] = Row{Checked: true} }), nil},
		{"show", change(func(v *View) { v.Rows[RowLogin] = Row{Label: "Login", Checked: true} }), []string{
			"label " + row(RowLogin) + " Login", "faint " + row(RowLogin) + " false", "checked " + row(RowLogin) + " true", "visible " + row(RowLogin) + " true",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var h fakeHost
			apply(&h, shown, tt.next)
			if diff := cmp.Diff(tt.want, h.taken()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func row(id RowID) string { return strconv.Itoa(int(id)) }

// randomView is a random View, with rows that often come and go.
func randomView(r *rand.Rand) View {
	v := View{
		Icon:    icon.Icon{Band: icon.Band(r.IntN(int(icon.Error) + 1)), Stale: r.IntN(2) == 0},
		Title:   strings.Repeat("t", r.IntN(3)),
		Tooltip: strings.Repeat("p", r.IntN(3)),
	}
	for i := range v.Rows {
		if r.IntN(2) == 0 {
			v.Rows[i] = Row{Label: strings.Repeat("l", 1+r.IntN(3)), Faint: r.IntN(2) == 0, Checked: r.IntN(2) == 0}
		}
	}
	return v
}

// FuzzApply replays differences between random Views: the final state equals that of a
// single build of the last View.
func FuzzApply(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, uint8(30))
	}
	f.Fuzz(func(t *testing.T, seed uint64, steps uint8) {
		r := rand.New(rand.NewPCG(seed, 0))
		var replayed fakeHost
		var shown View
		for range steps {
			next := randomView(r)
			apply(&replayed, shown, next)
			shown = next
			if diff := cmp.Diff(next, replayed.seen()); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
		}
		var fresh fakeHost
		apply(&fresh, View{}, shown)
		if diff := cmp.Diff(fresh.seen(), replayed.seen()); diff != "" {
			t.Errorf("fresh and replayed differ:\n%s", diff)
		}
	})
}

// TestRenderedViewsReplay does the same with the Views that there really are.
func TestRenderedViewsReplay(t *testing.T) {
	t.Parallel()
	var h fakeHost
	var shown View
	for _, state := range states(t) {
		next := render(state)
		apply(&h, shown, next)
		shown = next
		if diff := cmp.Diff(next.String(), h.seen().String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
