package tray

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/charmbracelet/x/ansi"

	"windsock/probe/probetest"
	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/cursor"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/windsurf"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// polled is a state of the poller whose figures were had so long before noon.
func polled(tb testing.TB, raw string, ago time.Duration) poll.State {
	tb.Helper()
	snapshot, err := windsurf.Decode([]byte(raw), usage.Source{
		Kind: usage.KindLanguageServer, Variant: "windsurf", App: "Windsurf", PID: 4242, FetchedAt: noon.Add(-ago),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return judged(snapshot)
}

// ofCursor is what Cursor's service has answered two minutes ago: a period's fields, and
// other answers beside it.
func ofCursor(tb testing.TB, period, beside string) poll.State {
	tb.Helper()
	snapshot, err := cursor.Decode([]byte(`{"GetPlanInfo":{"planInfo":{"planName":"Pro"}},"GetCurrentPeriodUsage":{
		"billingCycleStart":"1769000000000","billingCycleEnd":"1771600000000",`+period+`}`+beside+`}`), usage.Source{
		Kind: usage.KindCloud, Variant: "cursor", Host: "api2.cursor.sh", FetchedAt: noon.Add(-2 * time.Minute),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return judged(snapshot)
}

func judged(snapshot usage.Snapshot) poll.State {
	snapshot = pace.Judge(snapshot, nil, pace.Options{})
	return poll.State{At: noon, Snapshot: snapshot.At(noon), Next: noon.Add(3 * time.Minute)}
}

// ofWindsurf is the plan of those figures, which name no account.
var ofWindsurf = usage.Plan{Product: usage.Windsurf}

// failed is a state after a fetch that brought nothing.
func failed(err error) poll.State {
	return poll.State{At: noon, Err: err, Snapshot: usage.Snapshot{Source: usage.Source{Kind: usage.KindLanguageServer}}}
}

// spoken is an error as probe makes them.
type spokenError struct{ code, text string }

func (e spokenError) Error() string   { return "find server: " + e.code }
func (e spokenError) Tell() say.Error { return say.Error{Code: e.code, What: e.text, Exit: 3} }

var errNotRunning = spokenError{"not_running", "Windsurf is not running. Start Windsurf and try again."}

var errNoToken = spokenError{"no_token", "Windsurf's language server (process 4242) shows no access token: its environment may be read by the user who started it only. Run Windsock as that user."}

// Answers, as short as they can be.
const (
	creditsAnswer = `{"planStatus":{"planInfo":{"planName":"Teams"},"planStart":"2026-01-18T09:07:17Z",
		"planEnd":"2026-02-18T09:07:17Z","availablePromptCredits":50000,"usedPromptCredits":4700,
		"availableFlexCredits":2675000,"usedFlexCredits":175550}}`
	lowAnswer = `{"planStatus":{"planInfo":{"planName":"Pro"},"planEnd":"2026-02-18T09:07:17Z",
		"availablePromptCredits":50000,"usedPromptCredits":42000}}`
	criticalAnswer = `{"planStatus":{"planInfo":{"planName":"Pro"},"planEnd":"2026-02-05T09:07:17Z",
		"availablePromptCredits":50000,"usedPromptCredits":48600}}`
	exhaustedAnswer = `{"planStatus":{"planInfo":{"planName":"Pro"},"planEnd":"2026-02-05T09:07:17Z",
		"availablePromptCredits":50000,"usedPromptCredits":50000,"availableFlexCredits":25000,"usedFlexCredits":25000}}`
	unlimitedAnswer = `{"planStatus":{"planInfo":{"planName":"Enterprise","billingStrategy":"BILLING_STRATEGY_CREDITS"},
		"availablePromptCredits":-1,"availableFlexCredits":-1,"availableFlowCredits":-1}}`
	quotaAnswer = `{"planStatus":{"planInfo":{"planName":"Pro","billingStrategy":"BILLING_STRATEGY_QUOTA"},
		"dailyQuotaRemainingPercent":42,"dailyQuotaResetAtUnix":"1770192000",
		"weeklyQuotaRemainingPercent":87,"weeklyQuotaResetAtUnix":"1770537600"}}`
	extraAnswer = `{"planStatus":{"planInfo":{"planName":"Max","billingStrategy":"BILLING_STRATEGY_QUOTA"},
		"dailyQuotaRemainingPercent":100,"dailyQuotaResetAtUnix":"1770192000",
		"weeklyQuotaResetAtUnix":"1770537600","overageBalanceMicros":"964220000"}}`
	debtAnswer = `{"planStatus":{"planInfo":{"planName":"Pro","billingStrategy":"BILLING_STRATEGY_QUOTA"},
		"dailyQuotaResetAtUnix":"1770192000","weeklyQuotaRemainingPercent":35,"weeklyQuotaResetAtUnix":"1770537600",
		"overageBalanceMicros":"-1500000","gracePeriodStatus":"GRACE_PERIOD_STATUS_ACTIVE",
		"gracePeriodEnd":"2026-02-07T12:00:00Z",
		"topUpStatus":{"topUpEnabled":true,"topUpSpent":20,"monthlyTopUpAmount":100},"wasReducedByOrphanedUsage":true}}`
	rolledOverAnswer = `{"planStatus":{"planInfo":{"planName":"Pro","billingStrategy":"BILLING_STRATEGY_QUOTA"},
		"dailyQuotaRemainingPercent":42,"dailyQuotaResetAtUnix":"1770105600",
		"weeklyQuotaRemainingPercent":87,"weeklyQuotaResetAtUnix":"1770105600"}}`
	acuAnswer = `{"planStatus":{"planInfo":{"planName":"Devin Teams","billingStrategy":"BILLING_STRATEGY_ACU"},
		"planEnd":"2026-02-18T09:07:17Z","acuConsumed":1234.5678,"acuLimit":10000}}`
	unreadableAnswer = `{"planStatus":{"planInfo":{"planName":"Pro","billingStrategy":"BILLING_STRATEGY_QUOTA"},
		"dailyQuotaRemainingPercent":-1,"dailyQuotaResetAtUnix":"1770192000",
		"weeklyQuotaRemainingPercent":87,"weeklyQuotaResetAtUnix":"1770537600"}}`
	longAnswer = `{"planStatus":{"planInfo":{"planName":"R&D_team & friends of the_department for very long_names & more of them"},
		"availablePromptCredits":50000,"usedPromptCredits":4700}}`
)

// full is a state in which every row that opens something is there.
func full(p poll.State) State {
	return State{
		Plans: poll.Plans{p}, Version: "1.0", ManagePlan: true, Diagnostics: true, Settings: true, Login: LoginOff,
		Window: true, Cascades: Cascades{Counted: true, Stale: 11, Bytes: 212_000_000, BytesKnown: true},
		Options: Options{Config: DefaultConfig()},
	}
}

func states(t *testing.T) map[string]State {
	t.Helper()
	stale := polled(t, creditsAnswer, 3*time.Hour)
	stale.Err = errNotRunning
	stale.Snapshot.Source.Stale = true
	retried := polled(t, creditsAnswer, 4*time.Minute)
	retried.Err = spokenError{"timeout", "Windsurf did not answer in time. Restart it if that goes on."}
	fetching := polled(t, creditsAnswer, 5*time.Minute)
	fetching.Fetching = true

	twelve := full(polled(t, quotaAnswer, 2*time.Minute))
	twelve.Options.Words.TwelveHour = true
	plain := State{Plans: poll.Plans{polled(t, creditsAnswer, 0)}}
	demo := full(polled(t, creditsAnswer, 0))
	demo.Demo, demo.Lapse, demo.Login, demo.Diagnostics, demo.Settings = true, true, LoginUnknown, false, false
	demo.Plans[0].Fetching = true
	stillDemo := demo
	stillDemo.Lapse = false
	login := full(polled(t, creditsAnswer, 2*time.Minute))
	login.Login = LoginOn
	early := full(polled(t, creditsAnswer, time.Second))
	early.RefreshWait = 3500 * time.Millisecond
	troubled := full(polled(t, creditsAnswer, 2*time.Minute))
	troubled.Options.Problem = "config.toml, line 3: usage.interval is \"5x\"; it takes a time from 1m to 60m, such as 5m."
	troubled.Failure = "The page could not be opened. It is https://windsurf.com/subscription/manage-plan."

	// A cache carries no time.
	cached := full(polled(t, creditsAnswer, 0))
	cached.Plans[0].Snapshot.Source = usage.Source{Kind: usage.KindCache, Variant: "windsurf", App: "Windsurf", Stale: true}
	cached.Plans[0].Err = errNotRunning
	cached.Plans[0].Snapshot = pace.Judge(cached.Plans[0].Snapshot, nil, pace.Options{})

	muted := full(polled(t, debtAnswer, 2*time.Minute))
	muted.Mutes = []alert.Mute{
		{Plan: ofWindsurf, Meter: usage.DailyQuota, Until: noon.Add(20 * time.Hour)},
		{Plan: ofWindsurf, Meter: usage.WeeklyQuota, Until: noon.Add(116 * time.Hour)},
		{Plan: ofWindsurf, Meter: usage.ExtraUsage, On: true},
	}

	noCascade := full(polled(t, creditsAnswer, 2*time.Minute))
	noCascade.Cascades = Cascades{Off: true, Counted: true}
	agent := noCascade
	agent.Cascades.Agent = true
	uncounted := full(failed(errNotRunning))
	uncounted.Cascades = Cascades{}
	tidy := full(polled(t, creditsAnswer, 2*time.Minute))
	tidy.Cascades = Cascades{Counted: true, BytesKnown: true}
	unmeasured := full(polled(t, creditsAnswer, 2*time.Minute))
	unmeasured.Cascades = Cascades{Counted: true, Stale: 1}

	overflowing := full(polled(t, debtAnswer, 2*time.Hour))
	overflowing.Options.Problem = strings.TrimSpace(strings.Repeat("config.toml: something is wrong.\n", 8))

	unasked := full(failed(errNotRunning))
	unasked.Unasked = true
	unaskedCached := cached
	unaskedCached.Unasked = true
	unaskedNoToken := full(failed(errNoToken))
	unaskedNoToken.Unasked = true

	all := severalStates(t)
	maps.Copy(all, cloudStates(t))
	maps.Copy(all, map[string]State{
		"unasked":          unasked,
		"unasked_cached":   unaskedCached,
		"unasked_no_token": unaskedNoToken,
		"overflowing":      overflowing,
		"no_cascade":       noCascade,
		"agent":            agent,
		"uncounted":        uncounted,
		"tidy":             tidy,
		"unmeasured":       unmeasured,
		"muted":            muted,
		"cached":           cached,
		"starting":         full(poll.State{At: noon, Fetching: true}),
		"credits":          full(polled(t, creditsAnswer, 2*time.Minute)),
		"low":              full(polled(t, lowAnswer, 59*time.Second)),
		"critical":         full(polled(t, criticalAnswer, 2*time.Minute)),
		"exhausted":        full(polled(t, exhaustedAnswer, 2*time.Minute)),
		"unlimited":        full(polled(t, unlimitedAnswer, 2*time.Minute)),
		"quota":            full(polled(t, quotaAnswer, 2*time.Minute)),
		"quota_extra":      full(polled(t, extraAnswer, 2*time.Minute)),
		"quota_debt":       full(polled(t, debtAnswer, 2*time.Minute)),
		"rolled_over":      full(polled(t, rolledOverAnswer, 2*time.Minute)),
		"acu":              full(polled(t, acuAnswer, 2*time.Minute)),
		"cursor_pools":     full(ofCursor(t, `"planUsage":{"autoPercentUsed":0.36,"apiPercentUsed":46.444}`, "")),
		"cursor_on_demand": full(ofCursor(t, `"planUsage":{"autoPercentUsed":60,"apiPercentUsed":103.5},
			"spendLimitUsage":{"individualUsed":1785,"individualLimit":35000}`, "")),
		"cursor_requests": full(ofCursor(t, `"enabled":true`, `,"usage":{"gpt-4":{"numRequests":450,"maxRequestUsage":500}},"GetHardLimit":{"noUsageBasedAllowed":true}`)),
		"cursor_dollars":  full(ofCursor(t, `"planUsage":{"limit":40000,"includedSpend":40000}`, "")),
		"unreadable":      full(polled(t, unreadableAnswer, 2*time.Minute)),
		"long_names":      full(polled(t, longAnswer, 2*time.Minute)),
		"stale":           full(stale),
		"retried":         full(retried),
		"fetching":        full(fetching),
		"not_running":     full(failed(errNotRunning)),
		"no_token":        full(failed(errNoToken)),
		"unspoken":        full(failed(errors.New("find server: no luck"))),
		"twelve_hours":    twelve,
		"nothing_to_open": plain,
		"demo":            demo,
		"demo_still":      stillDemo,
		"login":           login,
		"refresh_early":   early,
		"troubled":        troubled,
	})
	return all
}

// overInternet is a state whose figures a service has told so long before noon.
func overInternet(tb testing.TB, ago time.Duration, host string) State {
	tb.Helper()
	p := polled(tb, quotaAnswer, ago)
	p.Snapshot.Source.Kind, p.Snapshot.Source.PID, p.Snapshot.Source.Host = usage.KindCloud, 0, host
	return full(p)
}

// cloudStates are states with figures over the internet, for a golden file each. What was
// allowed once offers nothing more.
func cloudStates(tb testing.TB) map[string]State {
	tb.Helper()
	failing := func(code, text string) State {
		s := overInternet(tb, 3*time.Hour, "server.codeium.com")
		s.Plans[0].Err, s.Plans[0].Snapshot.Source.Stale, s.Unasked = spokenError{code, text}, true, true
		return s
	}
	rejected := full(failed(spokenError{"rejected", "server.codeium.com does not know the sign-in of Windsurf any more. Sign in to Windsurf again."}))
	rejected.Unasked = true
	return map[string]State{
		"cloud":              overInternet(tb, 2*time.Minute, "server.codeium.com"),
		"cloud_long_host":    overInternet(tb, 2*time.Minute, "a-long-name-of-a-tenant.windsurf.com"),
		"cloud_offline":      failing("offline", "server.codeium.com cannot be reached. Check the connection to the internet, then try again in a few minutes."),
		"cloud_rate_limited": failing("rate_limited", "server.codeium.com was asked too often. Try again later."),
		"cloud_rejected":     rejected,
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	for name, state := range states(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			probetest.Golden(t, "menu/"+name+".txt", []byte(render(state).String()))
		})
	}
}

// TestRenderFits holds for whatever names and sentences a state brings.
func TestRenderFits(t *testing.T) {
	t.Parallel()
	for name, state := range states(t) {
		for _, app := range []string{"Windsurf", "Devin Desktop - Next", strings.Repeat("ＷＩＤＥ😀", 30)} {
			state.Plans = slices.Clone(state.Plans)
			for i := range state.Plans {
				state.Plans[i].Snapshot.Source.App = app
			}
			v := render(state)
			for _, row := range v.Rows {
				if width := ansi.StringWidth(row.Label); width > menuWidth+8 {
					t.Errorf("%s: %d columns: %q", name, width, row.Label)
				}
			}
			if units := len(utf16.Encode([]rune(v.Tooltip))); units > tooltipMax || units == 0 {
				t.Errorf("%s: a tooltip of %d units: %q", name, units, v.Tooltip)
			}
		}
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"short", "short", "short"},
		{"just_fits", strings.Repeat("x", 127), strings.Repeat("x", 127)},
		{"one_too_many", strings.Repeat("x", 128), strings.Repeat("x", 126) + "…"},
		{"pairs_fit", strings.Repeat("😀", 63), strings.Repeat("😀", 63)},
		{"pairs_do_not", strings.Repeat("😀", 64), strings.Repeat("😀", 63) + "…"},
		{"wide_letters", strings.Repeat("Ｗ", 128), strings.Repeat("Ｗ", 126) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := clip(tt.text); got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}
