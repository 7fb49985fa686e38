package poll

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/saved"
	"windsock/usage/usagetest"
)

var cloudSalt = []byte("salt")

func readCloudSalt(context.Context) ([]byte, error) { return cloudSalt, nil }

// accountHash is the hash of a seat's account.
func accountHash(account string) string { return usage.NewAccount("user", account).Hash(cloudSalt) }

// fromCloud is what the cloud has answered with a sign-in, at a time after noon.
func fromCloud(variant, account string, left int, at time.Duration) Reading {
	r := seat{usage.Windsurf, variant, "", left, ""}.reading()
	r.Kind, r.Host, r.At, r.Account = usage.KindCloud, "server.codeium.com", usagetest.Noon.Add(at), usage.KeptAccount(accountHash(account))
	return r
}

// failing is a reading that is there in spite of an error.
func (r Reading) failing(code codedError) Reading {
	r.Err = code
	return r
}

// cloudFailed is the failure of the cloud without any figures.
func cloudFailed(variant string, code codedError) Reading {
	return Reading{Product: usage.Windsurf, Kind: usage.KindCloud, Variant: variant, App: variant, Err: code}
}

// gone is a server of Windsurf that does not run.
func gone() Reading {
	return seat{usage.Windsurf, "windsurf", "", 0, "not_running"}.reading()
}

// cloudStep is what is shown at a time after the start.
type cloudStep struct {
	at   time.Duration
	want string
}

// The plans while the cloud comes, answers, fails and goes. Fetches come every minute
// while it stands in, which the tests leave to that.
func TestCloudPlans(t *testing.T) {
	t.Parallel()
	const m = time.Minute
	one, two := accountHash("one")[:6], accountHash("two")[:6]
	offline := codedError("offline")
	tests := []struct {
		name     string
		readings map[time.Duration][]Reading
		steps    []cloudStep
	}{
		{
			"stays_fresh_for_two_of_its_own_intervals",
			map[time.Duration][]Reading{0: {fromCloud("windsurf", "one", 60, 0)}},
			[]cloudStep{
				{21 * m, "windsurf of windsurf, 60 left, leads"},
				{22 * m, "windsurf of windsurf, 60 left, stale, leads"},
			},
		},
		{
			"was_asked_by_another_process_before",
			map[time.Duration][]Reading{0: {fromCloud("windsurf", "one", 60, -9*m)}},
			[]cloudStep{
				{12 * m, "windsurf of windsurf, 60 left, leads"},
				{13 * m, "windsurf of windsurf, 60 left, stale, leads"},
			},
		},
		{
			"its_failure_keeps_the_figures_as_stale",
			map[time.Duration][]Reading{
				0:         {fromCloud("windsurf", "one", 60, 0)},
				m:         {fromCloud("windsurf", "one", 60, 0).failing(offline)},
				5 * m / 2: {fromCloud("windsurf", "one", 55, 5*m/2)},
			},
			[]cloudStep{
				{m / 2, "windsurf of windsurf, 60 left, leads"},
				{2 * m, "windsurf of windsurf, 60 left, stale, offline, leads"},
				{4 * m, "windsurf of windsurf, 55 left, leads"},
			},
		},
		{
			"had_failed_before_the_start",
			map[time.Duration][]Reading{0: {fromCloud("windsurf", "one", 60, -time.Hour).failing(offline)}},
			[]cloudStep{{m, "windsurf of windsurf, 60 left, stale, offline, leads"}},
		},
		{
			"a_rejected_sign_in_drops_the_figures",
			map[time.Duration][]Reading{0: {fromCloud("windsurf", "one", 60, 0)}, m: {cloudFailed("windsurf", "rejected")}},
			[]cloudStep{{2 * m, "windsurf of windsurf, rejected, leads"}},
		},
		{
			"a_server_that_rejects_keeps_the_figures",
			map[time.Duration][]Reading{0: {fromCloud("windsurf", "one", 60, 0)}, m: {without(first("", 0), "rejected").reading()}},
			[]cloudStep{{2 * m, "windsurf of windsurf, 60 left, rejected, leads"}},
		},
		{
			"its_figures_outlast_that_no_editor_runs",
			map[time.Duration][]Reading{0: {fromCloud("windsurf", "one", 60, 0)}, m: {gone()}},
			[]cloudStep{{2 * m, "windsurf of windsurf, 60 left, not_running, leads"}},
		},
		{
			"the_server_ends_and_the_cloud_goes_on",
			map[time.Duration][]Reading{0: {first("one", 60).reading()}, m: {fromCloud("windsurf", "one", 55, m)}},
			[]cloudStep{{6 * m, "windsurf of windsurf, 55 left, leads"}},
		},
		{
			"older_figures_of_the_cloud_are_not_taken",
			map[time.Duration][]Reading{0: {first("one", 60).reading()}, m: {fromCloud("devin-cli", "one", 70, -m)}},
			[]cloudStep{{6 * m, "windsurf of windsurf, 60 left, leads"}},
		},
		{
			"the_server_ends_and_the_cloud_fails",
			map[time.Duration][]Reading{0: {first("one", 60).reading()}, m: {cloudFailed("windsurf", offline)}},
			[]cloudStep{{301 * time.Second, "windsurf of windsurf, 60 left, stale, offline, leads"}},
		},
		{
			"the_server_ends_and_the_cloud_fails_with_older_figures",
			map[time.Duration][]Reading{0: {first("one", 60).reading()}, m: {fromCloud("windsurf", "two", 70, -m).failing(offline)}},
			[]cloudStep{{301 * time.Second, "windsurf of windsurf, 60 left, stale, offline, leads"}},
		},
		{
			"the_server_ends_and_the_cloud_fails_with_another_sign_in",
			map[time.Duration][]Reading{0: {first("one", 60).reading()}, m: {cloudFailed("devin-cli", "rejected")}},
			[]cloudStep{{301 * time.Second, "windsurf of windsurf, 60 left, stale, rejected, leads"}},
		},
		{
			"the_server_comes_back_with_the_account",
			map[time.Duration][]Reading{0: {fromCloud("devin-cli", "one", 60, 0)}, m: {first("one", 55).reading()}},
			[]cloudStep{{2 * m, "windsurf of windsurf, 55 left, leads"}},
		},
		{
			"the_server_comes_back_with_another_account",
			map[time.Duration][]Reading{0: {fromCloud("devin-cli", "one", 60, 0)}, m: {first("two", 50).reading()}},
			[]cloudStep{{2 * m, "windsurf of windsurf, 50 left, leads"}},
		},
		{
			"another_sign_in_of_the_account_answers_when_the_server_ends",
			map[time.Duration][]Reading{0: {first("one", 60).reading()}, m: {fromCloud("devin-cli", "one", 55, m), gone()}},
			[]cloudStep{{6 * m, "windsurf of devin-cli, 55 left, leads"}},
		},
		{
			"one_account_twice_is_told_by_the_first",
			map[time.Duration][]Reading{0: {fromCloud("windsurf", "one", 60, 0), fromCloud("devin-cli", "one", 58, 0)}},
			[]cloudStep{{m, "windsurf of windsurf, 60 left, leads"}},
		},
		{
			"two_accounts_and_one_fails",
			map[time.Duration][]Reading{
				0: {fromCloud("windsurf", "one", 60, 0), fromCloud("devin-cli", "two", 50, 0)},
				m: {fromCloud("windsurf", "one", 60, 0), fromCloud("devin-cli", "two", 50, 0).failing(offline)},
			},
			[]cloudStep{
				{m / 2, "windsurf:" + one + " of windsurf, 60 left, leads\nwindsurf:" + two + " of devin-cli, 50 left"},
				{2 * m, "windsurf:" + one + " of windsurf, 60 left, leads\nwindsurf:" + two + " of devin-cli, 50 left, stale, offline"},
			},
		},
		{
			"two_accounts_and_one_had_failed_before_the_start",
			map[time.Duration][]Reading{0: {fromCloud("windsurf", "one", 60, -m).failing(offline), fromCloud("devin-cli", "two", 50, 0)}},
			[]cloudStep{{m, "windsurf:" + one + " of windsurf, 60 left, stale, offline, leads\nwindsurf:" + two + " of devin-cli, 50 left"}},
		},
		{
			"two_accounts_and_both_had_failed_before_the_start",
			map[time.Duration][]Reading{0: {
				fromCloud("windsurf", "one", 60, -m).failing(offline), fromCloud("devin-cli", "two", 50, -m).failing("tls"),
				fromCloud("windsurf-next", "one", 40, -m).failing(offline),
			}},
			[]cloudStep{{m, "windsurf:" + one + " of windsurf, 60 left, stale, offline, leads\nwindsurf:" + two + " of devin-cli, 50 left, stale, tls"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				p := plansBench(t, nil, Config{
					Products: []usage.Product{usage.Windsurf}, Salt: readCloudSalt,
					Fetch: func(context.Context, Ask) []Reading {
						latest := time.Duration(0)
						for since := range tt.readings {
							if since <= time.Since(began) {
								latest = max(latest, since)
							}
						}
						return slices.Clone(tt.readings[latest])
					},
				})
				for _, step := range tt.steps {
					time.Sleep(step.at + 11*time.Second - time.Since(began)) // the second fetch is at 0:10
					synctest.Wait()
					if diff := cmp.Diff(step.want, summary(present(p))); diff != "" {
						t.Errorf("after %v (-want +got):\n%s", step.at, diff)
					}
				}
			})
		})
	}
}

// TestNameThatIsNotKept: a plan whose name was not kept has none.
func TestNameThatIsNotKept(t *testing.T) {
	t.Parallel()
	for kind, want := range map[usage.SourceKind]string{usage.KindCloud: "", usage.KindFile: saved.RemovedName} {
		r := fromCloud("windsurf", "one", 60, 0)
		r.Kind = kind
		r.Raw = bytes.Replace(r.Raw, []byte(`"planStatus":{`), []byte(`"planStatus":{"planInfo":{"planName":"`+saved.RemovedName+`"},`), 1)
		if a := r.decode(usagetest.Noon); a.err != nil || a.snapshot.PlanName != want {
			t.Errorf("%s: %q, %v; want %q", kind, a.snapshot.PlanName, a.err, want)
		}
	}
}
