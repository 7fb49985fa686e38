package simulator

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
)

// quick is a Cascade whose turns take almost no time.
func quick(c Cascade) Cascade {
	c.Idle, c.Tick = 5*time.Millisecond, time.Millisecond
	return c
}

// prompt is a message's body in the form that other clients send.
func prompt(id, model, text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf(`{"cascadeId":%q,"items":[{"text":%s}],"metadata":{"apiKey":"sk-ws-01-test","ideName":"windsurf"},`+
		`"cascadeConfig":{"plannerConfig":{"conversational":{},"requestedModelUid":%q}}}`, id, quoted, model)
}

// fields is the body of an answer.
func (a answer) fields(t *testing.T) map[string]any {
	t.Helper()
	if a.Status != 200 {
		t.Fatalf("answer = %d %.200s", a.Status, a.Body)
	}
	var body map[string]any
	if err := json.Unmarshal([]byte(a.Body), &body); err != nil {
		t.Fatalf("not json: %.200q", a.Body)
	}
	return body
}

// of is the body for a method that takes only a cascade id.
func of(id string) string { return fmt.Sprintf(`{"cascadeId":%q}`, id) }

const model = "claude-opus-4-7-medium"

// open sets the panel up and starts a cascade.
func open(t *testing.T, s *Server) string {
	t.Helper()
	call(t, s, "InitializeCascadePanelState", "t", keyed("sk-ws-01-test")).fields(t)
	id, _ := call(t, s, "StartCascade", "t", keyed("sk-ws-01-test")).fields(t)["cascadeId"].(string)
	if id == "" {
		t.Fatal("no cascade id")
	}
	return id
}

// finish waits for the end of a turn.
func finish(t *testing.T, s *Server, id string) {
	t.Helper()
	probetest.Eventually(t, "the end of the turn", func() bool {
		return strings.Contains(transcriptOf(t, s, id), "[CORTEX_STEP_TYPE_CHECKPOINT]") && statusOf(t, s, id) == "CASCADE_RUN_STATUS_IDLE"
	})
}

func transcriptOf(t *testing.T, s *Server, id string) string {
	t.Helper()
	text, _ := call(t, s, "GetCascadeTranscriptForTrajectoryId", "t", of(id)).fields(t)["transcript"].(string)
	return text
}

func statusOf(t *testing.T, s *Server, id string) string {
	t.Helper()
	status, _ := call(t, s, "GetCascadeTrajectory", "t", of(id)).fields(t)["status"].(string)
	return status
}

// The samples' transcript (PROTOCOL.md 7.3), from the first call to the last.
func TestCascade(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t", Cascade: quick(Cascade{Turn: "echo"})})
	id := open(t, s)
	if got := call(t, s, "SendUserCascadeMessage", "t", prompt(id, model, "Say\nthis.")); got.Body != "{}" {
		t.Fatalf("send = %d %s", got.Status, got.Body)
	}
	finish(t, s, id)
	want := `=== MESSAGE 0 - Tool ===
[CORTEX_STEP_TYPE_RETRIEVE_MEMORY]

=== MESSAGE 1 - User ===
Say
this.

=== MESSAGE 2 - Assistant ===
Say
this.

=== MESSAGE 3 - Tool ===
[CORTEX_STEP_TYPE_CHECKPOINT]

`
	if diff := cmp.Diff(want, transcriptOf(t, s, id)); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
}

// A message is accepted once: not during a turn, and not if it asks for something that
// does not exist. Nothing of a refused one is recorded.
func TestSendRefused(t *testing.T) {
	t.Parallel()
	const send = "SendUserCascadeMessage"
	tests := []struct {
		name string
		cfg  Config
		cold bool // no panel has been set up
		body func(id string) string
		want answer
	}{
		{
			name: "panel", cold: true,
			want: answer{500, "unknown", "panel state not found"},
		},
		{
			name: "untrusted", cfg: Config{Release: Release1},
			want: answer{500, "unknown", "untrusted workspace"},
		},
		{
			name: "no_model", body: func(id string) string { return prompt(id, "", "hello") },
			want: answer{500, "unknown", "neither PlanModel nor RequestedModel specified"},
		},
		{
			name: "unknown_model", body: func(id string) string { return prompt(id, "gpt-1", "hello") },
			want: answer{500, "unknown", `unknown model "gpt-1" (simulated)`},
		},
		{
			name: "disabled_model", body: func(id string) string { return prompt(id, "claude-opus-4-7-byok", "hello") },
			want: answer{403, "permission_denied", "model claude-opus-4-7-byok is not available in your tier (simulated)"},
		},
		{
			name: "unknown_cascade", body: func(string) string { return prompt("none", model, "hello") },
			want: answer{404, "not_found", `cascade "none" not found`},
		},
		{
			name: "no_key", body: func(id string) string {
				return strings.Replace(prompt(id, model, "hello"), "sk-ws-01-test", "", 1)
			},
			want: answer{401, "unauthenticated", "an api key is needed"},
		},
		{
			name: "quota", body: func(id string) string { return prompt(id, model, "turn:send_quota") },
			want: answer{400, "failed_precondition", "Your daily usage quota has been exhausted"},
		},
		{
			name: "retired", cfg: Config{Cascade: Cascade{Retired: RetiredRefused}},
			body: func(string) string { return prompt("x", model, "hello") },
			want: answer{400, "failed_precondition", "Cascade is not available for this account (simulated)"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.cfg.Token, tt.cfg.Cascade = "t", quick(tt.cfg.Cascade)
			s := start(t, tt.cfg)
			if !tt.cold {
				call(t, s, "InitializeCascadePanelState", "t", keyed("k")).fields(t)
			}
			var id string
			if tt.cfg.Cascade.Retired == RetiredNot {
				id, _ = call(t, s, "StartCascade", "t", keyed("k")).fields(t)["cascadeId"].(string)
			}
			body := prompt(id, model, "hello")
			if tt.body != nil {
				body = tt.body(id)
			}
			got := call(t, s, send, "t", body)
			if diff := cmp.Diff(tt.want, got.failure(t)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if id == "" {
				return
			}
			if steps, ok := call(t, s, "GetCascadeTrajectorySteps", "t", of(id)).fields(t)["steps"]; ok {
				t.Errorf("something was recorded: %v", steps)
			}
		})
	}
}

// failure is an error in Connect form: status, code, message.
func (a answer) failure(t *testing.T) answer {
	t.Helper()
	var e struct{ Code, Message string }
	if err := json.Unmarshal([]byte(a.Body), &e); err != nil {
		t.Fatalf("not in connect form: %d %.80q", a.Status, a.Body)
	}
	return answer{a.Status, e.Code, e.Message}
}

// A trusted workspace is one with which an older editor's panel was set up.
func TestTrusted(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t", Release: Release1, Cascade: quick(Cascade{})})
	call(t, s, "InitializeCascadePanelState", "t", `{"metadata":{"apiKey":"k"},"workspaceTrusted":true}`).fields(t)
	id, _ := call(t, s, "StartCascade", "t", keyed("k")).fields(t)["cascadeId"].(string)
	if got := call(t, s, "SendUserCascadeMessage", "t", prompt(id, model, "hello")); got.Body != "{}" {
		t.Errorf("send = %d %s", got.Status, got.Body)
	}
}

// A cascade is idle before its turn, and accepts no second message before its end.
func TestBusy(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t", Cascade: Cascade{Idle: 2 * time.Second, Tick: time.Millisecond, Turn: "never_ends"}}) // long enough for four calls while it is idle
	id := open(t, s)
	call(t, s, "SendUserCascadeMessage", "t", prompt(id, model, "first")).fields(t)
	if got := statusOf(t, s, id) + transcriptOf(t, s, id); got != "CASCADE_RUN_STATUS_IDLE" {
		t.Errorf("right after the message: %s", got)
	}
	refused := answer{500, "unknown", "cascade " + id + " is not idle: CASCADE_RUN_STATUS_RUNNING"}
	second := func() answer {
		return call(t, s, "SendUserCascadeMessage", "t", prompt(id, model, "second")).failure(t)
	}
	if diff := cmp.Diff(refused, second()); diff != "" {
		t.Errorf("before the turn (-want +got):\n%s", diff)
	}
	probetest.Eventually(t, "the turn", func() bool { return statusOf(t, s, id) == "CASCADE_RUN_STATUS_RUNNING" })
	if diff := cmp.Diff(refused, second()); diff != "" {
		t.Errorf("during the turn (-want +got):\n%s", diff)
	}

	call(t, s, "CancelCascadeInvocation", "t", of(id)).fields(t)
	probetest.Eventually(t, "the end", func() bool { return statusOf(t, s, id) == "CASCADE_RUN_STATUS_IDLE" })
	text := transcriptOf(t, s, id)
	if strings.Contains(text, "CHECKPOINT") || strings.Contains(text, "second") {
		t.Errorf("after the end:\n%s", text)
	}
	call(t, s, "SendUserCascadeMessage", "t", prompt(id, model, "turn:echo third")).fields(t)
	finish(t, s, id)
	if want := "User ===\nturn:echo third\n\n"; !strings.Contains(transcriptOf(t, s, id), want) {
		t.Errorf("the second turn:\n%s", transcriptOf(t, s, id))
	}
}

// A message that is cancelled before its turn begins never has one.
func TestCancelEarly(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t", Cascade: Cascade{Idle: time.Hour, Tick: time.Millisecond}})
	id := open(t, s)
	call(t, s, "SendUserCascadeMessage", "t", prompt(id, model, "first")).fields(t)
	call(t, s, "CancelCascadeInvocation", "t", of(id)).fields(t)
	probetest.Eventually(t, "the end", func() bool { return statusOf(t, s, id) == "CASCADE_RUN_STATUS_IDLE" })
	if got := transcriptOf(t, s, id); got != "" {
		t.Errorf("transcript = %q", got)
	}
	if got := call(t, s, "CancelCascadeInvocation", "t", of("none")).failure(t); got.Type != "not_found" {
		t.Errorf("unknown cascade: %v", got)
	}
}

// Without a kind of planner, a server of 2.0 never starts a turn; a newer one does. A
// call may wait for the end.
func TestPlanner(t *testing.T) {
	t.Parallel()
	for release, want := range map[Release]bool{Release2: false, Release3: true} {
		s := start(t, Config{Token: "t", Release: release, Cascade: quick(Cascade{})})
		id := open(t, s)
		body := strings.Replace(prompt(id, model, "hello"), `"conversational":{},`, "", 1)
		call(t, s, "SendUserCascadeMessage", "t", strings.TrimSuffix(body, "}")+`,"blocking":true}`).fields(t)
		if got := strings.Contains(transcriptOf(t, s, id), "CHECKPOINT"); got != want {
			t.Errorf("%s: answered = %v", release, got)
		}
	}
}

// The account is charged the cost in the answer's step.
func TestCost(t *testing.T) {
	t.Parallel()
	tests := []struct {
		scenario string
		step     map[string]any // the cost in the answer's metadata
		before   map[string]any // of the plan
		after    map[string]any
	}{
		{
			"teams_credits",
			map[string]any{"promptCreditsUsed": 600.0},
			map[string]any{"usedPromptCredits": 4700.0},
			map[string]any{"usedPromptCredits": 5300.0},
		},
		{
			"unlimited",
			map[string]any{"promptCreditsUsed": 600.0},
			map[string]any{"usedPromptCredits": 81200.0},
			map[string]any{"usedPromptCredits": 81800.0},
		},
		{
			"exhausted", nil,
			map[string]any{"usedPromptCredits": 50000.0, "usedFlexCredits": 25000.0},
			map[string]any{"usedPromptCredits": 50000.0, "usedFlexCredits": 25000.0},
		},
		{
			"quota_fresh",
			map[string]any{"quotaCostBasisPoints": "600"},
			map[string]any{"dailyQuotaRemainingPercent": 100.0, "weeklyQuotaRemainingPercent": 100.0},
			map[string]any{"dailyQuotaRemainingPercent": 94.0, "weeklyQuotaRemainingPercent": 98.0},
		},
		{
			"quota_hidden_daily",
			map[string]any{"quotaCostBasisPoints": "600"},
			map[string]any{"dailyQuotaRemainingPercent": 100.0, "weeklyQuotaRemainingPercent": 94.0},
			map[string]any{"dailyQuotaRemainingPercent": 100.0, "weeklyQuotaRemainingPercent": 88.0},
		},
		{
			"quota_weekly_exhausted",
			map[string]any{"quotaCostBasisPoints": "0", "overageCostCents": "24"},
			map[string]any{"overageBalanceMicros": "964220000"},
			map[string]any{"overageBalanceMicros": "963980000"},
		},
		{
			"quota_debt",
			map[string]any{"quotaCostBasisPoints": "0", "overageCostCents": "24"},
			map[string]any{"overageBalanceMicros": "-1500000"},
			map[string]any{"overageBalanceMicros": "-1740000"},
		},
		{
			"acu",
			map[string]any{"acuCost": 0.3},
			map[string]any{"acuConsumed": 1234.5678},
			map[string]any{"acuConsumed": 1234.8678},
		},
	}
	for _, tt := range tests {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			s := start(t, Config{Token: "t", At: testTime, Scenario: tt.scenario, Cascade: quick(Cascade{})})
			id := open(t, s)
			if diff := cmp.Diff(tt.before, some(s.planOf(t), tt.before)); diff != "" {
				t.Errorf("before (-want +got):\n%s", diff)
			}
			body := strings.TrimSuffix(prompt(id, model, "hello"), "}") + `,"blocking":true}`
			call(t, s, "SendUserCascadeMessage", "t", body).fields(t)
			if diff := cmp.Diff(tt.after, some(s.planOf(t), tt.after)); diff != "" {
				t.Errorf("after (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.step, s.costOf(t, id)); diff != "" {
				t.Errorf("step (-want +got):\n%s", diff)
			}
		})
	}
}

// some are the fields of message that like has, too.
func some(message, like map[string]any) map[string]any {
	found := map[string]any{}
	for name := range like {
		found[name] = message[name]
	}
	return found
}

func (s *Server) planOf(t *testing.T) map[string]any {
	t.Helper()
	status, _ := call(t, s, "GetUserStatus", "t", keyed("k")).fields(t)["userStatus"].(map[string]any)
	plan, _ := status["planStatus"].(map[string]any)
	return plan
}

// costOf is the cost in the steps of a cascade; nil if there is none.
func (s *Server) costOf(t *testing.T, id string) map[string]any {
	t.Helper()
	var found map[string]any
	steps, _ := call(t, s, "GetCascadeTrajectorySteps", "t", of(id)).fields(t)["steps"].([]any)
	for _, step := range steps {
		metadata, _ := step.(map[string]any)["metadata"].(map[string]any)
		for _, name := range []string{"promptCreditsUsed", "acuCost", "quotaCostBasisPoints", "overageCostCents"} {
			if value, ok := metadata[name]; ok {
				if found == nil {
					found = map[string]any{}
				}
				found[name] = value
			}
		}
	}
	return found
}
