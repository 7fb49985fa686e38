package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"testing"

	"windsock/probe/simulator/cloud"
	"windsock/probe/simulator/simtest"
)

// withServices signs in with Devin's command line and with Cursor, and starts the makers'
// services, with the secrets in all that they keep and answer.
func (p *planted) withServices(t *testing.T) {
	t.Helper()
	p.write(t, devinFile, fmt.Sprintf("windsurf_api_key = %q\napi_server_url = %q\n# %s\ndevin_webapp_host = %q\nnote = %q\n",
		secretNamed("key, session"), "https://"+devinHost, plantedText, secretTeam, plantedText))
	p.write(t, cursorAuth, `{"accessToken":"`+secretJWT+`","refreshToken":"`+secretNamed("refresh token")+`","apiKey":"`+secretNamed("key, legacy")+`"}`)
	if err := simtest.SignIn(filepath.Join(p.home, ".config", "Cursor"), simtest.Auth{Rows: []simtest.Row{
		{Key: "cursorAuth/accessToken", Value: secretJWT},
		{Key: "cursorAuth/refreshToken", Value: secretNamed("refresh token")},
		{Key: "cursorAuth/cachedEmail", Value: secretEmail},
		{Key: "storage.serviceMachineId", Value: plantedText},
	}}); err != nil {
		t.Fatal(err)
	}
	var err error
	p.services, err = cloud.New(cloud.Config{
		Answer: func(w http.ResponseWriter, r *http.Request) bool {
			answer, ok := p.talk[path.Base(r.URL.Path)]
			if !ok {
				return false
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return true
			}
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return true
			}
			_, _ = conn.Write(answer.bytes(fmt.Sprintf("%s %v %s", r.URL, r.Header, body)))
			_ = conn.Close()
			return true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.services.Close() })
	if err := os.WriteFile(filepath.Join(p.dir, "tmp", "root.pem"), p.services.Root(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A plantedService is what the makers' services answer, and a part of what status says
// then.
type plantedService struct {
	says    string
	answers map[string]talkative
}

// plantedServices are such answers by the state's name.
func plantedServices(t *testing.T) map[string]plantedService {
	t.Helper()
	all := func(a talkative) map[string]talkative {
		return map[string]talkative{
			"GetPlanStatus": a, "GetUserStatus": a, "GetCurrentPeriodUsage": a, "GetPlanInfo": a, "GetHardLimit": a, "GetTeams": a, "usage": a,
		}
	}
	var status struct {
		User struct {
			Plan json.RawMessage `json:"planStatus"` //nolint:tagliatelle // the wire's name
		} `json:"userStatus"` //nolint:tagliatelle // the wire's name
	}
	if err := json.Unmarshal([]byte(plantedStatus(t, nil)), &status); err != nil {
		t.Fatal(err)
	}
	figures := map[string]talkative{
		"GetPlanStatus": {Body: `{"planStatus":` + string(status.User.Plan) + `}`},
		"GetPlanInfo":   {Body: plantedObject(t, map[string]any{"planInfo": map[string]any{"planName": "Pro", "price": plantedText}})},
		"GetHardLimit":  {Body: plantedObject(t, map[string]any{"hardLimit": plantedText})},
		"GetCurrentPeriodUsage": {Body: plantedObject(t, map[string]any{
			"planUsage":         map[string]any{"autoPercentUsed": 98.0, "apiPercentUsed": 20.0, "totalSpend": plantedText, "bonusTooltip": plantedText},
			"spendLimitUsage":   map[string]any{"limitType": plantedText, "individualUsed": plantedText},
			"billingCycleStart": "1794361617000", "billingCycleEnd": "4102444800000", "displayMessage": plantedText,
		})},
	}
	user := map[string]talkative{"GetPlanStatus": dumpAnswer("501", "unimplemented"), "GetUserStatus": {Body: plantedStatus(t, nil)}}
	for name, answer := range figures {
		if _, ok := user[name]; !ok {
			user[name] = answer
		}
	}
	return map[string]plantedService{
		"tell_figures":     {"3 % left", figures},
		"tell_the_user":    {"3 % left", user},
		"tell_other_texts": {"cannot be used", all(talkative{Body: plantedText + requestMark})},
		"tell_no_figures":  {"windsock: ", all(talkative{Body: plantedObject(t, map[string]any{"userStatus": map[string]any{}, "planStatus": map[string]any{}, "planUsage": map[string]any{}})})},
		"do_not_know_it":   {"does not know the sign-in", all(dumpAnswer("401", "unauthenticated"))},
		"refuse":           {"gives this account no figures", all(dumpAnswer("403", "permission_denied"))},
		"are_in_trouble":   {"is in trouble", all(dumpAnswer("500", "internal"))},
		"are_asked_often":  {"was asked too often", all(dumpAnswer("429", plantedText))},
		"lead_elsewhere": {"leads to another address", all(talkative{
			Status: "307 " + plantedText, Header: map[string]string{"Location": "https://" + cloud.TrapHost + "/" + secretNamed("path") + "?" + secretTail},
		})},
		"speak_no_http": {"windsock: ", all(talkative{Raw: plantedText + requestMark + "\r\n\r\n"})},
	}
}

// plantedObject is an object with the secrets in it.
func plantedObject(t *testing.T, object map[string]any) string {
	t.Helper()
	plantUnknown(object)
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
