package history

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/product"
)

// TestMeters records every meter: each comes back with its unit, and has a place in the
// table of days.
func TestMeters(t *testing.T) {
	t.Parallel()
	meters := casesOf(t)
	for i, id := range usage.MeterIDs() {
		t.Run(string(id), func(t *testing.T) {
			t.Parallel()
			m, ok := meters[id]
			if !ok {
				t.Fatalf("no case in usage/%s/testdata/cases has it in state ok; if one does, see the product's Decode", id.Info().Product)
			}
			s := open(t, tempPath(t))
			s.Record(t.Context(), snapshot(account(t, "u"), noon, m))
			s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Hour), m))
			samples, err := s.Samples(t.Context(), time.Time{})
			if err != nil || len(samples) == 0 {
				t.Fatalf("%d samples, %v", len(samples), err)
			}
			days, err := s.Days(t.Context(), noon)
			if err != nil || len(days) == 0 {
				t.Fatalf("%d days, %v", len(days), err)
			}
			type kept struct {
				ID   usage.MeterID
				Unit usage.Unit
			}
			equal(t, kept{samples[0].Meter, samples[0].Unit}, kept{id, m.Unit})
			equal(t, kept{days[0].Meter, days[0].Unit}, kept{id, m.Unit})
			for _, before := range usage.MeterIDs()[:i] {
				if byMeter(before, id) >= 0 {
					t.Errorf("it comes before %s", before)
				}
			}
		})
	}
}

// A meter that is missing from an older file gets a number there; the others keep
// theirs.
func TestMeterThatIsNew(t *testing.T) {
	t.Parallel()
	s := open(t, tempPath(t))
	s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(credit)))
	before := s.meters
	after, err := readMeters(t.Context(), s.db, append(usage.Meters(), usage.MeterInfo{ID: "new", Unit: usage.UnitUSD}))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, len(after.ids), len(before.ids)+1)
	equal(t, after.infos[after.ids["new"]].Unit, usage.UnitUSD)
	for id, number := range before.ids {
		equal(t, after.ids[id], number)
	}
	again, err := readMeters(t.Context(), s.db, usage.Meters())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, again.ids, after.ids)
}

// casesOf are the meters with a figure in the cases of all products.
func casesOf(t *testing.T) map[usage.MeterID]usage.Meter {
	t.Helper()
	meters := map[usage.MeterID]usage.Meter{}
	files, err := filepath.Glob("../*/testdata/cases/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases struct {
			Cases []struct {
				Input json.RawMessage `json:"input"`
			} `json:"cases"`
		}
		if err := json.Unmarshal(raw, &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases.Cases {
			s, _ := product.Decode(product.Of(c.Input), c.Input, usage.Source{Kind: usage.KindLanguageServer})
			for _, m := range s.Meters {
				if m.State == usage.StateOK && m.Unit == m.ID.Info().Unit {
					meters[m.ID] = m
				}
			}
		}
	}
	return meters
}
