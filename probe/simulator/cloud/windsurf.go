package cloud

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	pb "windsock/probe/languageserver"
	"windsock/probe/simulator/account"
)

const seatService = "/exa.seat_management_pb.SeatManagementService/"

// prefix stands in front of every path at the hosts outside the two of the United States
// (PROTOCOL.md 9.2).
func prefix(host string) string {
	if host == hostUS || host == hostSelfServe {
		return ""
	}
	return "/_route/api_server"
}

// windsurf is the seat service (PROTOCOL.md 9.1).
func (s *Server) windsurf(w http.ResponseWriter, in incoming) {
	method, ok := strings.CutPrefix(in.URL.Path, prefix(in.Host)+seatService)
	var request struct {
		Metadata struct {
			APIKey           string `json:"apiKey"`           //nolint:tagliatelle // the wire's name
			IDEVersion       string `json:"ideVersion"`       //nolint:tagliatelle // the wire's name
			ExtensionVersion string `json:"extensionVersion"` //nolint:tagliatelle // the wire's name
		} `json:"metadata"`
		TopUp bool `json:"include_top_up_status"`
	}
	malformed := json.Unmarshal([]byte(in.body), &request) != nil
	plan := method == "GetPlanStatus"
	switch {
	case !ok || !plan && method != "GetUserStatus":
		notFound(w)
		return
	case in.Method != http.MethodPost:
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	case !strings.HasPrefix(in.Header.Get("Content-Type"), "application/json"):
		http.Error(w, "Unsupported Media Type", http.StatusUnsupportedMediaType)
		return
	case in.Header.Get("Authorization") != "":
		refuse(w, http.StatusUnauthorized, "unauthenticated", "bad Authorization header")
		return
	case malformed, in.Header.Get("X-Api-Key") != "", in.Header.Get("Cookie") != "", !plan && request.Metadata.APIKey == "":
		refuse(w, http.StatusBadRequest, "invalid_argument", "invalid argument")
		return
	case !plan && (request.Metadata.IDEVersion == "" || request.Metadata.ExtensionVersion == ""):
		refuse(w, http.StatusBadRequest, "invalid_argument", "versions are required")
		return
	}
	token := in.Header.Get("X-Auth-Token")
	if !plan {
		token = request.Metadata.APIKey
	}
	known, ok := s.account(token)
	scenario, err := account.Named(known.Windsurf)
	switch {
	case !ok, err != nil:
		s.unknown()
		refuse(w, http.StatusUnauthorized, "unauthenticated", "invalid API key")
		return
	case !known.at(in.Host):
		wrongRegion(w, in.Host)
		return
	}
	answer := scenario.Answer(s.clock(), known.Owner)
	if answer == nil {
		refuse(w, http.StatusUnauthorized, "unauthenticated", "invalid API key")
		return
	}
	if plan {
		replyPlan(w, answer, request.TopUp)
		return
	}
	text, err := protojson.Marshal(answer)
	replyText(w, text, err)
}

// unknown tells of a token that nobody has.
func (s *Server) unknown() {
	if s.cfg.Refused != nil {
		s.cfg.Refused()
	}
}

// replyPlan answers GetPlanStatus: the plan's status has the plan's information in it, and
// top-up only for a question that wants it.
func replyPlan(w http.ResponseWriter, answer *pb.GetUserStatusResponse, topUp bool) {
	plan := proto.CloneOf(answer.GetUserStatus().GetPlanStatus())
	if plan.GetPlanInfo() == nil {
		plan.PlanInfo = answer.GetPlanInfo()
	}
	if !topUp {
		plan.TopUpStatus = nil
	}
	text, err := protojson.Marshal(plan)
	replyText(w, fmt.Appendf(nil, `{"planStatus":%s}`, text), err)
}

func replyText(w http.ResponseWriter, text []byte, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // a client that is gone needs no answer
}

// wrongRegion answers for an account that lives at another host (PROTOCOL.md 9.4).
func wrongRegion(w http.ResponseWriter, host string) {
	if prefix(host) == "" {
		refuse(w, http.StatusForbidden, "permission_denied", "permission denied")
		return
	}
	refuse(w, http.StatusInternalServerError, "internal",
		"failed to validate Devin token: DEVIN_TOKEN_EXCHANGE_PSK environment variable not set")
}
