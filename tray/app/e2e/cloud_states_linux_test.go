package e2e

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windsock/probe/simulator/cloud"
)

const (
	devinFigures  = "windsurf cloud daily_quota=8 weekly_quota=12"
	devinStale    = "windsurf cloud stale daily_quota=8 weekly_quota=12"
	cursorFigures = "cursor cloud cursor_models=77 other_models=36.6"
	cursorStale   = "cursor cloud stale cursor_models=77 other_models=36.6"
)

// later is after a time in which any question is due again.
const later = 20 * time.Minute

// TestCloudFaults asks once with success, and later in each fault: what the error is, and
// whether the old figures stay.
func TestCloudFaults(t *testing.T) {
	t.Parallel()
	type want struct {
		code, exit string
		// cursor is the code at Cursor's, where that is another one.
		cursor string
		// dropped says that the old figures do not stay.
		dropped bool
	}
	const one, four = "1", "4"
	tests := map[cloud.Fault]want{
		cloud.FaultOffline:       {code: "offline", exit: one},
		cloud.FaultProxyLogin:    {code: "offline", exit: one},
		cloud.FaultUntrusted:     {code: "tls", exit: one},
		cloud.FaultInvalid:       {code: "bad_response", exit: one},
		cloud.FaultNotKnown:      {code: "rejected", exit: four, dropped: true},
		cloud.FaultErrorIn200:    {code: "rejected", exit: four, dropped: true},
		cloud.FaultCanceled:      {code: "refused", exit: one},
		cloud.FaultDisabled:      {code: "refused", exit: one},
		cloud.FaultForbidden:     {code: "refused", exit: one},
		cloud.FaultNoMethod:      {code: "unsupported", exit: one},
		cloud.FaultUnimplemented: {code: "unsupported", exit: one},
		cloud.FaultTooMany:       {code: "rate_limited", exit: one},
		cloud.FaultTooManyUntil:  {code: "rate_limited", exit: one},
		cloud.FaultInternal:      {code: "server_error", exit: one},
		cloud.FaultUnavailable:   {code: "server_error", exit: one},
		cloud.FaultRedirect:      {code: "bad_response", exit: one},
		cloud.FaultPage:          {code: "bad_response", exit: one},
		cloud.FaultCutOff:        {code: "bad_response", exit: one},
		cloud.FaultHuge:          {code: "bad_response", exit: one},
		cloud.FaultBomb:          {code: "bad_response", exit: one},
		cloud.FaultDrip:          {code: "offline", exit: one},
		cloud.FaultHang:          {code: "offline", exit: one},
		// It is an answer, though one without a plan.
		cloud.FaultEmpty: {code: "no_plan_status", cursor: "no_usage_fields", exit: one, dropped: true},
	}
	for _, fault := range cloud.Faults() {
		for product, person := range map[string]func(*testing.T) (*alone, string, string){
			"devin": func(t *testing.T) (*alone, string, string) {
				t.Helper()
				return withDevin(t), devinFigures, devinStale
			},
			"cursor": func(t *testing.T) (*alone, string, string) {
				t.Helper()
				return withCursor(t, "individual"), cursorFigures, cursorStale
			},
		} {
			t.Run(product+"_"+string(fault), func(t *testing.T) {
				t.Parallel()
				a, figures, stale := person(t)
				if got := a.run("status", "--json").told(t); got != "0; "+figures {
					t.Fatal(got)
				}
				a.check(a.services.Fail(fault, ""))
				a.ahead = later
				tt := tests[fault]
				code := tt.code
				if product == "cursor" {
					code = cmp.Or(tt.cursor, code)
				}
				if tt.dropped {
					stale = strings.Fields(stale)[0] + " cloud"
				}
				want := fmt.Sprintf("%s; %s !%s", tt.exit, stale, code)
				if got := a.run("status", "--json").told(t); got != want {
					t.Errorf("told %q, want %q", got, want)
				}
				for _, r := range a.services.Requests() {
					if r.Host == cloud.TrapHost || len(r.Violations) > 0 {
						t.Errorf("%s of %s: %q", r.Method, r.Host, r.Violations)
					}
				}
			})
		}
	}
}

// TestCloudSignIns covers what is asked with which sign-in, and what is not.
func TestCloudSignIns(t *testing.T) {
	t.Parallel()
	const other = "devin-session-token$eyJhbGciOiJub25lIn0.eyJzZXNzaW9uX2lkIjoib3RoZXIifQ.c2lnbmVk"
	tests := []struct {
		name     string
		arrange  func(a *alone)
		args     []string
		want     string
		requests int
	}{
		{name: "allowed", want: "0; " + devinFigures, requests: 1},
		{name: "denied", arrange: func(a *alone) { a.allows() }, want: "3; windsurf language_server !not_running"},
		{name: "at_another_host", arrange: func(a *alone) { a.allows("devin-cli@eu.windsurf.com") }, want: "4; windsurf cloud !host_not_allowed"},
		{name: "its_host_has_changed", arrange: func(a *alone) { a.devin(devinToken, "https://eu.windsurf.com/_route/api_server") }, want: "4; windsurf cloud !host_not_allowed"},
		{name: "its_host_is_odd", arrange: func(a *alone) { a.devin(devinToken, "https://"+devinHost+":8443/x?y") }, want: "4; windsurf cloud !host_not_allowed"},
		{name: "signed_out", arrange: func(a *alone) { a.check(os.Remove(filepath.Join(a.home, devinFile))) }, want: "4; windsurf cloud !no_credential"},
		{name: "no_token", arrange: func(a *alone) { a.devin("", "https://"+devinHost) }, want: "4; windsurf cloud !no_credential"},
		{name: "unknown_token", arrange: func(a *alone) { a.services.Revoke(devinToken) }, want: "4; windsurf cloud !rejected", requests: 1},
		{
			name: "token_that_is_renewed", want: "0; " + devinFigures, requests: 2,
			arrange: func(a *alone) {
				a.services.Revoke(devinToken)
				a.opens(cloud.Account{Token: other, Windsurf: "quota_tight"})
				a.refused = func() { a.devin(other, "https://"+devinHost) }
			},
		},
		{
			name: "without_the_newer_method", want: "0; " + devinFigures, requests: 2,
			arrange: func(a *alone) { a.check(a.services.Fail(cloud.FaultUnimplemented, "GetPlanStatus")) },
		},
		{
			name: "europe", want: "0; " + devinFigures, requests: 1,
			arrange: func(a *alone) {
				a.opens(cloud.Account{Token: devinToken, Host: "eu.windsurf.com", Windsurf: "quota_tight"})
				a.devin(devinToken, "https://eu.windsurf.com/_route/api_server")
				a.allows("devin-cli@eu.windsurf.com")
			},
		},
		{
			name: "american_account_in_europe", want: "1; windsurf cloud !wrong_region", requests: -1,
			arrange: func(a *alone) {
				a.devin(devinToken, "https://eu.windsurf.com/_route/api_server")
				a.allows("devin-cli@eu.windsurf.com")
			},
		},
		{
			name: "a_typed_host", want: "0; " + devinFigures, requests: 1,
			arrange: func(a *alone) {
				a.opens(cloud.Account{Token: devinToken, Host: "tenant.windsurf.com", Windsurf: "quota_tight"})
				a.devin(devinToken, "https://tenant.windsurf.com/_route/api_server")
				a.allows("devin-cli@tenant.windsurf.com")
			},
		},
		{
			name: "two_accounts", want: "0; windsurf cloud daily_quota=100 weekly_quota=100; " + devinFigures, requests: 2,
			arrange: func(a *alone) {
				a.editor(deskKey)
				a.opens(cloud.Account{Token: deskKey, Windsurf: "quota_fresh"})
				a.opens(cloud.Account{Token: devinToken, Windsurf: "quota_tight", Owner: "sam"})
				a.allows("windsurf@"+devinHost, "devin-cli@"+devinHost)
			},
		},
		{
			name: "one_account_twice", want: "0; windsurf cloud daily_quota=100 weekly_quota=100", requests: 2,
			arrange: func(a *alone) {
				a.editor(deskKey)
				a.opens(cloud.Account{Token: deskKey, Windsurf: "quota_fresh"})
				a.opens(cloud.Account{Token: devinToken, Windsurf: "quota_fresh"})
				a.allows("windsurf@"+devinHost, "devin-cli@"+devinHost)
			},
		},
		{
			name: "one_token_twice", want: "0; " + devinFigures, requests: 1,
			arrange: func(a *alone) {
				a.editor(devinToken)
				a.allows("windsurf@"+devinHost, "devin-cli@"+devinHost)
			},
		},
		{
			name: "one_of_two_variants", args: []string{"--variant", "windsurf"}, want: "0; windsurf cloud daily_quota=100 weekly_quota=100", requests: 1,
			arrange: func(a *alone) {
				a.editor(deskKey)
				a.opens(cloud.Account{Token: deskKey, Windsurf: "quota_fresh"})
				a.allows("windsurf@"+devinHost, "devin-cli@"+devinHost)
			},
		},
		{
			name: "the_editor_alone", want: "0; windsurf cloud daily_quota=8 weekly_quota=12", requests: 1,
			arrange: func(a *alone) {
				a.editor(deskKey)
				a.opens(cloud.Account{Token: deskKey, Windsurf: "quota_tight"})
				a.allows("windsurf@" + devinHost)
			},
		},
		{name: "cursor_off", args: []string{"--product", "cursor"}, want: "4; cursor cloud !off"},
		{
			name: "cursor_expired", args: []string{"--product", "cursor"}, want: "4; cursor cloud !expired",
			arrange: func(a *alone) {
				a.cursor(cursorToken(time.Now().Add(-time.Hour)))
				a.allows("cursor@" + cursorHost)
			},
		},
		{
			name: "both_products", want: "0; " + devinFigures + "; " + cursorFigures, requests: 5,
			arrange: func(a *alone) {
				token := cursorToken(time.Now().Add(time.Hour))
				a.cursor(token)
				a.opens(cloud.Account{Token: token, Cursor: "individual"})
				a.allows("devin-cli@"+devinHost, "cursor@"+cursorHost)
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := withDevin(t)
			if tt.arrange != nil {
				tt.arrange(a)
			}
			if got := a.run(append([]string{"status", "--json"}, tt.args...)...).told(t); got != tt.want {
				t.Errorf("told %q, want %q", got, tt.want)
			}
			if tt.requests >= 0 {
				a.asked(tt.requests)
			}
		})
	}
}

// TestCloudCursor covers the kinds of Cursor's accounts.
func TestCloudCursor(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]string{
		"individual":       cursorFigures,
		"free":             "cursor cloud included=65",
		"exhausted":        "cursor cloud cursor_models=0 other_models=0",
		"on_demand":        "cursor cloud cursor_models=58.8 other_models=0",
		"on_demand_capped": "cursor cloud cursor_models=87.5 other_models=0 on_demand=20",
		"team":             "cursor cloud cursor_models=99.6 other_models=98 on_demand=100",
		"team_sentinel":    "cursor cloud cursor_models=92 other_models=56",
		"requests":         "cursor cloud requests=95.1",
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			a := withCursor(t, scenario)
			if got := a.run("status", "--json").told(t); !strings.HasSuffix(got, "; "+want) {
				t.Errorf("told %q, want %q", got, want)
			}
			for _, r := range a.services.Requests() {
				if r.Violations != nil {
					t.Errorf("%s: %q", r.Method, r.Violations)
				}
			}
		})
	}
}
