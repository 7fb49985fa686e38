// Package usagetest holds what the tests of usage and of its subpackages share.
package usagetest

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones of tests, wherever they run

	"windsock/probe/say"
	"windsock/usage"
)

// Noon is the present of most tests.
var Noon = time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)

// Day is 24 hours.
const Day = 24 * time.Hour

// Moments around noon in Unix time: 2026-02-04 and 2026-02-08, after noon; 2026-02-02, before it.
const (
	Tomorrow  = "1770192000"
	Sunday    = "1770537600"
	Yesterday = "1770019200"
)

// AmountOf is a figure with decimals.
func AmountOf(figure float64) usage.Amount { return usage.Micros(int64(figure*1e6 + 0.5)) }

// Plenty is an answer: 453 of 500 credits are left.
const Plenty = `{"planStatus":{"availablePromptCredits":50000,"usedPromptCredits":4700}}`

// ErrNotRunning is the error for a missing server, as another package makes it.
var ErrNotRunning error = &say.Error{
	Code: "not_running", What: "Start Windsurf and try again.", Exit: 3, Cause: errors.New("find server: none"),
}

// OfficeDays are Monday to Friday.
var OfficeDays = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}

// Zone returns the zone of that name.
func Zone(tb testing.TB, name string) *time.Location {
	tb.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		tb.Fatal(err)
	}
	return loc
}

// Samples are answers and caches that others have seen, by name.
func Samples(tb testing.TB) map[string][]byte {
	tb.Helper()
	all := map[string][]byte{}
	for _, dir := range []string{"user_status", "plan_cache"} {
		files, err := filepath.Glob(filepath.Join("../windsurf/testdata", dir, "*.json"))
		if err != nil || len(files) == 0 {
			tb.Fatalf("no samples in %s: %v", dir, err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				tb.Fatal(err)
			}
			all[dir+"/"+strings.TrimSuffix(filepath.Base(file), ".json")] = raw
		}
	}
	delete(all, "user_status/14-overage-variants") // a table, not an answer
	return all
}

// Case is an answer of a product, and what is made of it at a moment.
type Case[T any] struct {
	ID     string          `json:"id"`
	At     time.Time       `json:"at"`
	Input  json.RawMessage `json:"input"`
	Expect T               `json:"expect"`
}

// Cases are those in testdata/cases of a product's package.
func Cases[T any](tb testing.TB, p usage.Product) []Case[T] {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join("..", string(p), "testdata/cases/*.json"))
	if err != nil || len(files) < 3 {
		tb.Fatalf("%s: %d files of cases, %v", p, len(files), err)
	}
	all := make([]Case[T], 0, 64)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		var read struct {
			Cases []Case[T] `json:"cases"`
		}
		if err := json.Unmarshal(raw, &read); err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		all = append(all, read.Cases...)
	}
	return all
}

// Month is a window of 30 days.
var Month = usage.Window{
	Start: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC),
	End:   time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC),
}

// CreditMeter has 500 credits in the month.
func CreditMeter(used float64) usage.Meter {
	return usage.Meter{ID: usage.PromptCredits, Unit: usage.UnitCredits, Window: Month}.Of(AmountOf(used), AmountOf(500))
}
