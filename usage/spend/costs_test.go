package spend

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
)

func TestCostsUnit(t *testing.T) {
	t.Parallel()
	nothing, some := usage.Micros(0), usage.Micros(1)
	tests := []struct {
		name  string
		costs Costs
		told  []usage.Unit
		unit  usage.Unit
	}{
		{"unknown", Costs{}, nil, ""},
		{"nothing_spent", Costs{QuotaPercent: nothing, OverageUSD: nothing}, []usage.Unit{usage.UnitPercent, usage.UnitUSD}, usage.UnitPercent},
		{"overage_alone", Costs{QuotaPercent: nothing, OverageUSD: some}, []usage.Unit{usage.UnitPercent, usage.UnitUSD}, usage.UnitUSD},
		{"all", Costs{Credits: some, ACU: some, QuotaPercent: some, OverageUSD: some}, Units(), usage.UnitCredits},
		{"acu", Costs{ACU: some}, []usage.Unit{usage.UnitACU}, usage.UnitACU},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.told, tt.costs.Told()); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
			if got := tt.costs.Unit(); got != tt.unit {
				t.Errorf("got %q, want %q", got, tt.unit)
			}
		})
	}
}

func TestCostsIn(t *testing.T) {
	t.Parallel()
	costs := Costs{Credits: usage.Micros(1), ACU: usage.Micros(2), QuotaPercent: usage.Micros(3), OverageUSD: usage.Micros(4)}
	var got []usage.Amount
	for _, unit := range append(Units(), usage.UnitRequests) {
		got = append(got, costs.In(unit))
	}
	if diff := cmp.Diff([]usage.Amount{usage.Micros(1), usage.Micros(2), usage.Micros(3), usage.Micros(4), {}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
