package cloud

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	pools    = `{"billingCycleStart":"1","billingCycleEnd":"2","planUsage":{"autoPercentUsed":0,"apiPercentUsed":6.25}}`
	dollars  = `{"billingCycleStart":"1","billingCycleEnd":"2","planUsage":{"totalSpend":100,"limit":2000,"totalPercentUsed":null}}`
	sentinel = `{"billingCycleStart":"1785884859130","billingCycleEnd":"1785884859130","displayThreshold":100}`
	plan     = `{"planInfo":{"planName":"Pro"}}`
	limit    = `{"noUsageBasedAllowed":true}`
	requests = `{"gpt-4":{"numRequests":19,"maxRequestUsage":300},"startOfMonth":"2026-07-01T00:00:00.000Z"}`
	oneTeam  = `{"teams":[{"id":42,"name":"Planted"}]}`
)

// What is sent, to the letter (PROTOCOL.md 10.2).
func TestCursorRequest(t *testing.T) {
	t.Parallel()
	m := newMaker(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if strings.HasSuffix(r.URL.Path, "/GetCurrentPeriodUsage") {
			_, _ = io.WriteString(w, dollars)
			return
		}
		w.WriteHeader(404)
	})
	if _, err := m.client().Ask(t.Context(), Question{Source: newHome(t).cursor(jwt), Host: "api2.cursor.sh"}); err != nil {
		t.Fatal(err)
	}
	post := func(method string) asked {
		return asked{
			Method: "POST", Host: "api2.cursor.sh", Path: "/aiserver.v1.DashboardService/" + method, Body: "{}",
			Header: map[string]string{
				"Accept": "application/json", "Accept-Encoding": "gzip", "Authorization": "Bearer " + jwt, "Connect-Protocol-Version": "1",
				"Content-Length": "2", "Content-Type": "application/json", "User-Agent": "windsock/1.2.3",
			},
		}
	}
	want := []asked{post("GetCurrentPeriodUsage"), {
		Method: "GET", Host: "api2.cursor.sh", Path: "/auth/usage",
		Header: map[string]string{"Accept": "application/json", "Accept-Encoding": "gzip", "Authorization": "Bearer " + jwt, "User-Agent": "windsock/1.2.3"},
	}, post("GetPlanInfo"), post("GetHardLimit")}
	if diff := cmp.Diff(want, m.requests()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Which calls are made, in which order, and what is made of their answers.
func TestCursorCalls(t *testing.T) {
	t.Parallel()
	const (
		used   = "GetCurrentPeriodUsage {}"
		seat   = `GetCurrentPeriodUsage {"teamId":42}`
		teams  = "GetTeams {}"
		named  = "GetPlanInfo {}"
		capped = "GetHardLimit {}"
		count  = "usage "
	)
	user := `,"user":"user_planted"}`
	whole := `{"GetCurrentPeriodUsage":` + pools + `,"GetHardLimit":` + limit + `,"GetPlanInfo":` + plan + user
	old := `{"GetCurrentPeriodUsage":` + pools + `,"GetHardLimit":{},"GetPlanInfo":{"planInfo":{"planName":"Old"}}}`
	kept := strings.TrimSuffix(old, "}") + user
	tests := []struct {
		name    string
		answers map[string]string // by call; one that is not there is 404, "429" and "503" are themselves
		before  string
		ago     time.Duration
		of      string // the user of what was before; "" for the same
		want    []string
		raw     string
		code    Code
	}{
		{
			name: "pools", answers: map[string]string{used: pools, named: plan, capped: limit},
			want: []string{used, count, named, capped}, raw: whole,
		},
		{
			name: "later_that_day", before: old, ago: 15 * time.Minute, answers: map[string]string{used: pools, named: plan, capped: limit},
			want: []string{used}, raw: kept,
		},
		{
			name: "next_day", before: old, ago: 13 * time.Hour, answers: map[string]string{used: pools, named: plan, capped: limit},
			want: []string{used, count, named, capped}, raw: whole,
		},
		{
			name: "next_cycle", before: strings.Replace(old, `"billingCycleEnd":"2"`, `"billingCycleEnd":1`, 1), ago: 15 * time.Minute,
			answers: map[string]string{used: pools, named: plan, capped: limit}, want: []string{used, count, named, capped}, raw: whole,
		},
		{
			name: "cycle_kept_as_a_number", before: strings.Replace(old, `"billingCycleEnd":"2"`, `"billingCycleEnd":2`, 1), ago: 15 * time.Minute,
			answers: map[string]string{used: pools}, want: []string{used}, raw: kept,
		},
		{
			name: "another_user_before", before: old, ago: 15 * time.Minute, of: "user_other", answers: map[string]string{used: pools, named: "429", capped: limit},
			want: []string{used, count, named, capped}, raw: strings.Replace(whole, `,"GetPlanInfo":`+plan, "", 1),
		},
		{
			name: "seldom_calls_fail", before: old, ago: 13 * time.Hour, answers: map[string]string{used: pools, named: "429", capped: "429"},
			want: []string{used, count, named, capped}, raw: kept,
		},
		{
			name: "one_of_them_is_not_kept", before: strings.Replace(old, `"GetHardLimit":{},`, "", 1), ago: 15 * time.Minute,
			answers: map[string]string{used: pools, capped: limit}, want: []string{used, capped},
			raw: strings.Replace(kept, `"GetHardLimit":{}`, `"GetHardLimit":`+limit, 1),
		},
		{
			name: "requests_beside_percentages", answers: map[string]string{used: pools, named: plan, capped: limit, count: requests},
			want: []string{used, count, named, capped}, raw: strings.Replace(whole, user, `,"usage":`+requests, 1) + "U",
		},
		{
			name: "later_that_day_of_a_request_plan", before: strings.TrimSuffix(old, "}") + `,"usage":` + requests + "}", ago: 15 * time.Minute,
			answers: map[string]string{used: pools, count: requests}, want: []string{used, count},
			raw: strings.TrimSuffix(old, "}") + `,"usage":` + requests + "U",
		},
		{
			name: "counters_without_an_allowance", answers: map[string]string{used: pools, named: plan, capped: limit, count: `{"gpt-4":{"numRequests":0,"maxRequestUsage":null}}`},
			want: []string{used, count, named, capped}, raw: whole,
		},
		{
			name: "requests_are_not_told_beside_percentages", answers: map[string]string{used: pools, named: plan, capped: limit, count: "429"},
			want: []string{used, count, named, capped}, raw: whole,
		},
		{
			name: "dollars", answers: map[string]string{used: dollars, named: plan, capped: limit, count: requests},
			want: []string{used, count, named, capped},
			raw:  strings.Replace(strings.Replace(whole, pools, dollars, 1), user, `,"usage":`+requests, 1) + "U",
		},
		{
			name: "no_request_plan", answers: map[string]string{used: dollars, named: plan, capped: limit},
			want: []string{used, count, named, capped}, raw: strings.Replace(whole, pools, dollars, 1),
		},
		{
			name: "request_plan_is_not_told", answers: map[string]string{used: dollars, count: "429"},
			want: []string{used, count}, code: RateLimited,
		},
		{
			name: "seat", answers: map[string]string{used: sentinel, teams: oneTeam, seat: pools, named: plan, `GetHardLimit {"teamId":42}`: limit},
			want: []string{used, teams, seat, count, named, `GetHardLimit {"teamId":42}`}, raw: whole,
		},
		{
			name: "seat_is_not_told", answers: map[string]string{used: sentinel, teams: oneTeam, named: plan, capped: limit},
			want: []string{used, teams, seat, count, named, capped}, raw: strings.Replace(whole, pools, sentinel, 1),
		},
		{
			name: "several_teams", answers: map[string]string{used: sentinel, teams: `{"teams":[{"id":42},{"id":43}]}`, named: plan, capped: limit},
			want: []string{used, teams, count, named, capped}, raw: strings.Replace(whole, pools, sentinel, 1),
		},
		{
			name: "odd_team", answers: map[string]string{used: sentinel, teams: `{"teams":[{"id":"x"}]}`, named: plan, capped: limit},
			want: []string{used, teams, count, named, capped}, raw: strings.Replace(whole, pools, sentinel, 1),
		},
		{
			name: "teams_too_often", answers: map[string]string{used: sentinel, teams: "429"},
			want: []string{used, teams}, code: RateLimited,
		},
		{
			name: "request_plan_in_trouble", answers: map[string]string{used: dollars, count: "503"},
			want: []string{used, count}, code: ServerError,
		},
		{
			name: "teams_in_trouble", answers: map[string]string{used: sentinel, teams: "503"},
			want: []string{used, teams}, code: ServerError,
		},
		{
			name: "seat_in_trouble", answers: map[string]string{used: sentinel, teams: oneTeam, seat: "503"},
			want: []string{used, teams, seat}, code: ServerError,
		},
		{name: "too_often", answers: map[string]string{used: "429"}, want: []string{used}, code: RateLimited},
		{name: "not_there", want: []string{used}, code: Unsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var calls []string
			m := newMaker(t, func(w http.ResponseWriter, r *http.Request, body string) {
				call := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:] + " " + body
				calls = append(calls, call) // one at a time: the client waits for each
				switch answer, ok := tt.answers[call]; {
				case !ok:
					w.WriteHeader(404)
				case answer == "429", answer == "503":
					status, _ := strconv.Atoi(answer)
					w.WriteHeader(status)
				default:
					_, _ = io.WriteString(w, answer)
				}
			})
			q := Question{Source: newHome(t).cursor(jwt), Host: "api2.cursor.sh"}
			if tt.before != "" {
				q.Before, q.BeforeAt = []byte(tt.before), noon.Add(-tt.ago)
				q.BeforeOf = func(user string) bool { return user == tt.of || tt.of == "" && user == "user_planted" }
			}
			answer, err := m.client().Ask(t.Context(), q)
			failure, _ := err.(*Failure) //nolint:errorlint // what Ask returns
			switch {
			case (failure == nil) != (tt.code == "") || failure != nil && failure.Code != tt.code:
				t.Fatalf("got %v", err)
			case failure == nil:
				if raw, ok := strings.CutSuffix(tt.raw, "U"); ok { // with the counted requests
					tt.raw = raw + user
				}
				if diff := cmp.Diff(sorted(t, []byte(tt.raw)), sorted(t, answer.Raw)); diff != "" {
					t.Errorf("answer (-want +got):\n%s", diff)
				}
			}
			if diff := cmp.Diff(tt.want, calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}
