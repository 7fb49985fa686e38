package pace

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/usagetest"
)

func TestCounted(t *testing.T) {
	t.Parallel()
	span := func(start, end string) usage.Window {
		return usage.Window{Start: moment(t, start), End: moment(t, end)}
	}
	friday := span("2026-03-06T10:00:00Z", "2026-03-11T10:00:00Z")
	office := Options{WorkDays: usagetest.OfficeDays}
	tests := []struct {
		name   string
		window usage.Window
		o      Options
		want   []usage.Window
	}{
		{"every_day", friday, Options{}, []usage.Window{friday}},
		{"work_days", friday, office, []usage.Window{span("2026-03-06T10:00:00Z", "2026-03-07T00:00:00Z"), span("2026-03-09T00:00:00Z", "2026-03-11T10:00:00Z")}},
		{"no_work_day", span("2026-03-07T10:00:00Z", "2026-03-07T15:00:00Z"), office, nil},
		{"ends_before_it_starts", usage.Window{Start: friday.End, End: friday.Start}, Options{}, nil},
		{"no_window", usage.Window{}, Options{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, Counted(tt.window, tt.o)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The pace tells how many past windows took part.
func TestPastWindowsAreCounted(t *testing.T) {
	t.Parallel()
	m := usagetest.CreditMeter(200)
	for _, past := range []int{0, 1, 3} {
		s := usage.Snapshot{Source: usage.Source{FetchedAt: m.Window.End.AddDate(0, 0, -9)}, Meters: []usage.Meter{m}}
		p := Judge(s, History{m.ID: {Past: pastOf(m, repeat(0.5, past)...)}}, Options{}).Meters[0].Pace
		if p.PastWindows != past || (p.Basis == usage.BasisWindow) != (past == 0) {
			t.Errorf("%d past windows are %d, basis %s", past, p.PastWindows, p.Basis)
		}
	}
}
