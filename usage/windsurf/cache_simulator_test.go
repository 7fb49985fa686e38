package windsurf

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe"
	"windsock/probe/signin"
	"windsock/probe/simulator/simtest"
	"windsock/usage"
)

// An editor's cache in protobuf reads like its server's answer. Both omit zeros, so
// that a window without a percentage is exhausted.
func TestRecallOfAnEditor(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)
	tests := []struct {
		scenario string
		billing  usage.Billing
		want     map[usage.MeterID]usage.State
	}{
		{"teams_credits", usage.BillingCredits, map[usage.MeterID]usage.State{"prompt_credits": "ok", "flex_credits": "ok"}},
		{"exhausted", usage.BillingCredits, map[usage.MeterID]usage.State{"prompt_credits": "exhausted", "flex_credits": "exhausted"}},
		{"quota_weekly_exhausted", usage.BillingQuota, map[usage.MeterID]usage.State{"daily_quota": "ok", "weekly_quota": "exhausted", "extra_usage": "ok"}},
		{"quota_hidden_daily", usage.BillingQuota, map[usage.MeterID]usage.State{"weekly_quota": "ok"}},
		{"acu", usage.BillingACU, map[usage.MeterID]usage.State{"acu": "ok"}},
		{"unlimited", usage.BillingUnlimited, map[usage.MeterID]usage.State{"prompt_credits": "unlimited", "flex_credits": "unlimited"}},
	}
	for _, tt := range tests {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			dir := filepath.Join(home, ".config", "Windsurf")
			if err := simtest.SignIn(dir, simtest.Auth{Key: "sk-ws-01-test", Scenario: tt.scenario, At: at}); err != nil {
				t.Fatal(err)
			}
			var s usage.Snapshot
			var err error
			for c, cerr := range probe.NewFinder(probe.WithDirs(signin.Below(home))).Caches(t.Context(), probe.Variants()) {
				if cerr != nil {
					t.Fatal(cerr)
				}
				s, err = Decode(c.Raw, usage.Source{Kind: usage.KindCache, App: c.Server.App})
			}
			if err != nil || s.Billing != tt.billing || s.Source != (usage.Source{Kind: usage.KindCache, App: "Windsurf"}) {
				t.Fatalf("%s of %+v, %v", s.Billing, s.Source, err)
			}
			got := map[usage.MeterID]usage.State{}
			for _, m := range s.At(at).Meters {
				got[m.ID] = m.State
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
