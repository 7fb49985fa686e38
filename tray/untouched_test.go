package tray

import (
	"testing"

	"windsock/tray/icon"
	"windsock/usage"
	"windsock/usage/poll"
)

// Of a plan of which nothing was used yet all is left, though no meter binds. Nobody
// knows a page for it.
func TestUntouchedPlan(t *testing.T) {
	t.Parallel()
	m := usage.NewMeter(usage.Gemini5h, usage.Window{}).Of(usage.Micros(0), usage.Micros(100*usage.One))
	m.State = usage.StateNotStarted
	s := full(poll.State{At: noon, Snapshot: usage.Snapshot{
		Source: usage.Source{Kind: usage.KindLanguageServer, FetchedAt: noon}, Plan: usage.Plan{Product: usage.Antigravity},
		Billing: usage.BillingQuota, Meters: []usage.Meter{m},
	}.At(noon)})
	if got, want := gauge(s), (icon.Icon{Band: icon.OK, Level: 10}); got != want {
		t.Errorf("the icon is %+v, want %+v", got, want)
	}
	if got := render(s).Rows[RowManage].Label; got != "" {
		t.Errorf("the menu has %q", got)
	}
}
