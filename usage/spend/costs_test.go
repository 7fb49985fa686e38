package spend

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
)

func TestCostsUnit(t *testing.T) {
	t.Parallel()
	nothing, some := usage.Micros(0), usage.Micros(1)
	quota, money := []usage.Unit{usage.UnitPercent}, []usage.Unit{usage.UnitUSD}
	tests := []struct {
		name  string
		costs Costs
		told  []usage.Unit
		unit  usage.Unit
		paid  []usage.Unit
	}{
		{"unknown", Costs{}, nil, "", nil},
		{"nothing_spent", Costs{QuotaPercent: nothing, OverageUSD: nothing}, []usage.Unit{usage.UnitPercent, usage.UnitUSD}, usage.UnitPercent, quota},
		{"overage_alone", Costs{QuotaPercent: nothing, OverageUSD: some}, []usage.Unit{usage.UnitPercent, usage.UnitUSD}, usage.UnitUSD, money},
		{"all", Costs{Credits: some, ACU: some, QuotaPercent: some, OverageUSD: some}, Units(), usage.UnitCredits, Units()},
		{"acu", Costs{ACU: some}, []usage.Unit{usage.UnitACU}, usage.UnitACU, []usage.Unit{usage.UnitACU}},
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
			if diff := cmp.Diff(tt.paid, tt.costs.Paid()); diff != "" {
				t.Errorf("paid (-want +got):\n%s", diff)
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
