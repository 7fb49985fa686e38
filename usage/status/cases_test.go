package status

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/usagetest"
)

type wantedAnswer struct {
	Billing  *string          `json:"billing"`
	Plan     *string          `json:"plan"`
	Meters   []map[string]any `json:"meters"`
	Problems []string         `json:"problems"`
	// Notices are missing in some cases.
	Notices []string `json:"notices"`
}

type seenAnswer struct {
	Billing  string           `json:"billing"`
	Plan     *string          `json:"plan"`
	Meters   []map[string]any `json:"meters"`
	Problems []codeOf         `json:"problems"`
	Notices  []codeOf         `json:"notices"`
}

type codeOf struct {
	Code string `json:"code"`
}

func TestCases(t *testing.T) {
	t.Parallel()
	for _, c := range append(usagetest.Cases[wantedAnswer](t, usage.Windsurf), usagetest.Cases[wantedAnswer](t, usage.Cursor)...) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			if c.Input == nil {
				c.Input = json.RawMessage("null")
			}
			out, err := status(t, c.Input, "--at", c.At.Format(time.RFC3339), "--json")
			var all struct {
				Plans []seenAnswer `json:"plans"`
			}
			if err := json.Unmarshal([]byte(out), &all); err != nil || len(all.Plans) != 1 {
				t.Fatalf("%d plans, %v", len(all.Plans), err)
			}
			got := all.Plans[0]
			if c.Expect.Billing != nil && got.Billing != *c.Expect.Billing {
				t.Errorf("billing is %s, want %s", got.Billing, *c.Expect.Billing)
			}
			if diff := cmp.Diff(c.Expect.Plan, got.Plan); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.Expect.Problems, codesOf(got.Problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(byID(c.Expect.Meters), named(got.Meters, c.Expect.Meters)); diff != "" {
				t.Errorf("meters (-want +got):\n%s", diff)
			}
			if want := c.Expect.Notices; want != nil {
				if diff := cmp.Diff(want, codesOf(got.Notices)); diff != "" {
					t.Errorf("notices (-want +got):\n%s", diff)
				}
			}
			checkExit(t, err, len(c.Expect.Meters) == 0)
		})
	}
}

func codesOf(all []codeOf) []string {
	codes := []string{}
	for _, one := range all {
		codes = append(codes, one.Code)
	}
	return codes
}

func checkExit(t *testing.T, err error, failed bool) {
	t.Helper()
	if !failed {
		if err != nil {
			t.Errorf("error %v", err)
		}
		return
	}
	if say.Exit(err) != 1 || err.Error() != "" {
		t.Errorf("error %#v, want one that was told, with exit code 1", err)
	}
}

func byID(meters []map[string]any) map[any]map[string]any {
	all := map[any]map[string]any{}
	for _, m := range meters {
		all[m["id"]] = m
	}
	return all
}

// named reduces each meter to the fields of the expected one.
func named(got, want []map[string]any) map[any]map[string]any {
	expected := byID(want)
	all := map[any]map[string]any{}
	for _, m := range got {
		kept := map[string]any{"id": m["id"]}
		for field := range expected[m["id"]] {
			kept[field] = m[field]
		}
		all[m["id"]] = kept
	}
	return all
}
