package cloud

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"windsock/probe/simulator/account"
)

const dashboard = "/aiserver.v1.DashboardService/"

// cursorTeam is the number of the team that a seat belongs to.
const cursorTeam = 4711

// cursor is Cursor's dashboard and its older list of requests (PROTOCOL.md 10.2).
func (s *Server) cursor(w http.ResponseWriter, in incoming) {
	method, rpc := strings.CutPrefix(in.URL.Path, dashboard)
	if !rpc && in.URL.Path != "/auth/usage" {
		notFound(w)
		return
	}
	if in.Method == http.MethodPost != rpc {
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	if in.Header.Get("Cookie") != "" {
		refuse(w, http.StatusBadRequest, "invalid_argument", "Error")
		return
	}
	token, bearer := strings.CutPrefix(in.Header.Get("Authorization"), "Bearer ")
	known, ok := s.account(token)
	of, err := account.CursorNamed(known.Cursor)
	if !bearer || !ok || err != nil || of.Plan == "" {
		s.unknown()
		reply(w, http.StatusUnauthorized, map[string]any{
			"code": "unauthenticated", "message": "Error", "details": []any{map[string]any{
				"type": "aiserver.v1.ErrorDetails", "debug": map[string]any{"error": "ERROR_NOT_LOGGED_IN"},
			}},
		})
		return
	}
	if !rpc {
		reply(w, http.StatusOK, s.requestsOf(of))
		return
	}
	var request struct {
		TeamID int `json:"teamId"` //nolint:tagliatelle // the wire's name
	}
	malformed := json.Unmarshal([]byte(in.body), &request) != nil
	member := of.Team && request.TeamID == cursorTeam
	if malformed || request.TeamID != 0 && !member {
		refuse(w, http.StatusBadRequest, "invalid_argument", "Error")
		return
	}
	switch method {
	case "GetCurrentPeriodUsage":
		reply(w, http.StatusOK, of.Period(s.clock(), request.TeamID != 0))
	case "GetPlanInfo":
		_, end := of.Cycle(s.clock())
		reply(w, http.StatusOK, map[string]any{"planInfo": map[string]any{"planName": of.Plan, "billingCycleEnd": account.Millis(end)}})
	case "GetHardLimit":
		limit := map[string]any{}
		if of.OnDemandOff {
			limit["noUsageBasedAllowed"] = true
		}
		reply(w, http.StatusOK, limit)
	case "GetTeams":
		teams := map[string]any{}
		if of.Team {
			teams["teams"] = []any{map[string]any{"name": "Example Team", "id": cursorTeam, "seats": 12}}
		}
		reply(w, http.StatusOK, teams)
	default:
		notFound(w)
	}
}

// requestsOf is the older list of requests. Its counters stand at 0 for an account that
// is not billed by requests.
func (s *Server) requestsOf(of account.Cursor) map[string]any {
	start, _ := of.Cycle(s.clock())
	bucket := map[string]any{"numRequests": of.Requests, "numRequestsTotal": of.Requests, "numTokens": 0, "maxRequestUsage": nil, "maxTokenUsage": nil}
	if of.MaxRequests > 0 {
		bucket["maxRequestUsage"] = of.MaxRequests
	}
	return map[string]any{"gpt-4": bucket, "startOfMonth": start.UTC().Format(time.RFC3339)}
}
