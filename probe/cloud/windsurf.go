package cloud

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/tidwall/gjson"

	"windsock/probe/signin"
)

// seats is Windsurf's service that knows what is left of a plan (PROTOCOL.md 9.1).
const seats = "/exa.seat_management_pb.SeatManagementService/"

// askWindsurf asks for the plan alone, and only where that does not do, or where it has to
// be known whose the plan is, for the longer answer about the user.
func (s *service) askWindsurf(ctx context.Context, q Question, with credential) ([]byte, *Failure) {
	raw, failure := s.windsurfAnswer(ctx, q, with)
	if failure != nil && failure.Code == Refused && with.url == "" {
		if host := q.Source.elsewhere(ctx, q.Host); host != "" {
			failure = s.failed(WrongRegion, "an editor here is signed in at "+host, failure.cause)
		}
	}
	return raw, failure
}

func (s *service) windsurfAnswer(ctx context.Context, q Question, with credential) ([]byte, *Failure) {
	token := with.token.Reveal()
	// That a key of the old form can be used with GetPlanStatus is not known.
	if with.form != signin.FormSelfServe && (!q.Identify || with.user != nil) {
		answer, failure := s.planStatus(ctx, token)
		if failure != nil && failure.Code != Unsupported {
			return nil, failure
		}
		if plan := gjson.GetBytes(answer, "planStatus"); failure == nil && plan.IsObject() {
			return compose(with.user, plan, gjson.Result{}), nil
		}
	}
	answer, failure := s.userStatus(ctx, token)
	if failure != nil {
		return nil, failure
	}
	fields := gjson.GetManyBytes(answer, "userStatus", "userStatus.planStatus", "planInfo")
	return compose(userOf(fields[0], with.user), fields[1], fields[2]), nil
}

// planStatus calls GetPlanStatus. Without the member of the message, the answer leaves
// out what auto top-up has spent.
func (s *service) planStatus(ctx context.Context, token string) ([]byte, *Failure) {
	return s.call(ctx, seats+"GetPlanStatus", []byte(`{"include_top_up_status":true}`), func(h http.Header) {
		h.Set("X-Auth-Token", token)
	})
}

// userStatus calls GetUserStatus, under Windsock's own name. Both versions are required.
func (s *service) userStatus(ctx context.Context, token string) ([]byte, *Failure) {
	type metadata struct {
		APIKey           string `json:"apiKey"`           //nolint:tagliatelle // the service's
		IDEName          string `json:"ideName"`          //nolint:tagliatelle // the service's
		IDEVersion       string `json:"ideVersion"`       //nolint:tagliatelle // the service's
		ExtensionName    string `json:"extensionName"`    //nolint:tagliatelle // the service's
		ExtensionVersion string `json:"extensionVersion"` //nolint:tagliatelle // the service's
		Locale           string `json:"locale"`
	}
	version := cmp.Or(s.version, "unknown")
	message, err := json.Marshal(map[string]metadata{"metadata": { //nolint:gosec // the key belongs there
		APIKey: token, IDEName: "windsock", IDEVersion: version, ExtensionName: "windsock", ExtensionVersion: version, Locale: "en",
	}})
	if err != nil {
		return nil, s.failed(BadResponse, "", nil)
	}
	return s.call(ctx, seats+"GetUserStatus", message, func(http.Header) {})
}

// identity are the members of a userStatus that tell whose it is.
var identity = []string{"userId", "email", "teamId"}

// userOf is whose plan it is, as JSON: what the answer says if it names the user, else
// what the sign-in says, else what else the answer says.
func userOf(status gjson.Result, signedIn []byte) []byte {
	if status.Get("userId").String() == "" && signedIn != nil {
		return signedIn
	}
	return []byte(cmp.Or(status.Raw, "{}"))
}

// compose writes the answer in the form of GetUserStatus, with the plan and whose it is,
// and without the name, the models and all else.
func compose(user []byte, plan, info gjson.Result) []byte {
	status := map[string]json.RawMessage{}
	for _, name := range identity {
		if v := gjson.GetBytes(user, name); v.Type == gjson.String {
			status[name] = json.RawMessage(v.Raw)
		}
	}
	if plan.IsObject() {
		status["planStatus"] = json.RawMessage(plan.Raw)
	}
	answer := map[string]any{"userStatus": status}
	if info.IsObject() {
		answer["planInfo"] = json.RawMessage(info.Raw)
	}
	raw, err := json.Marshal(answer)
	if err != nil { // what gjson takes for valid is
		return []byte("{}")
	}
	return raw
}

// elsewhere is the host that an editor's sign-in names, if it is another than host; ""
// if there is none. The token is not used.
func (s Source) elsewhere(ctx context.Context, host string) string {
	for _, other := range Sources(s.dirs) {
		if other.Name == s.Name || other.Product != s.Product || other.Name == devinCLI || !other.There() {
			continue
		}
		if named, _, err := other.Host(ctx); err == nil && named != host {
			return named
		}
	}
	return ""
}
