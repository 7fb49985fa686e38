package status

import (
	"maps"
	"slices"
	"testing"

	"windsock/usage"
	"windsock/usage/product"
	"windsock/usage/usagetest"
	"windsock/usage/words"
)

// Each meter has words, and a case in which a server has it. The case is shown, fits
// its window, and survives --save.
func TestMeters(t *testing.T) {
	t.Parallel()
	seen := casesOf(t)
	for _, id := range usage.MeterIDs() {
		t.Run(string(id), func(t *testing.T) {
			t.Parallel()
			m, ok := seen[id]
			if !ok {
				t.Fatalf("no case in usage/%s/testdata/cases has it in state ok; if one does, see the product's Decode", id.Info().Product)
			}
			if line := (words.Words{}).Line(usage.Snapshot{Judged: usagetest.Noon}, m); line.Label == "" || line.Text == "" {
				t.Errorf("it is shown as %+v", line)
			}
			if paced := id.Info().Rhythm != usage.RhythmNone; paced == m.Window.End.IsZero() {
				t.Errorf("paced by the table: %v, but its window is %v", paced, m.Window)
			}
		})
	}
}

// casesOf are the meters with a figure in the cases of all products, one of each. In all
// cases the order is that of MeterIDs.
func casesOf(t *testing.T) map[usage.MeterID]usage.Meter {
	t.Helper()
	seen := map[usage.MeterID]usage.Meter{}
	for _, p := range usage.Products() {
		maps.Copy(seen, casesOfProduct(t, p))
	}
	return seen
}

func casesOfProduct(t *testing.T, p usage.Product) map[usage.MeterID]usage.Meter {
	t.Helper()
	seen := map[usage.MeterID]usage.Meter{}
	for _, c := range usagetest.Cases[any](t, p) {
		s, _ := product.Decode(p, c.Input, usage.Source{Kind: usage.KindLanguageServer})
		for _, m := range s.Meters {
			if info := m.ID.Info(); m.Name == "" && info.Product != p {
				t.Errorf("%s: by the table %s belongs to %q", c.ID, m.ID, info.Product)
			}
		}
		s.Meters = slices.DeleteFunc(s.Meters, func(m usage.Meter) bool { return m.Name != "" })
		if !slices.IsSortedFunc(s.Meters, func(a, b usage.Meter) int {
			return slices.Index(usage.MeterIDs(), a.ID) - slices.Index(usage.MeterIDs(), b.ID)
		}) {
			ids := make([]usage.MeterID, len(s.Meters))
			for i, m := range s.Meters {
				ids[i] = m.ID
			}
			t.Errorf("%s: meters are %q; the table's order is %q", c.ID, ids, usage.MeterIDs())
		}
		for _, m := range s.Meters {
			if m.State == usage.StateOK && seen[m.ID].Window.End.IsZero() { // some cases lack the reset
				seen[m.ID] = m
			}
		}
	}
	return seen
}
