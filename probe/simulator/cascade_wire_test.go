package simulator

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The release and the retirement decide which methods exist, and which of them need a
// key.
func TestCascadeMethods(t *testing.T) {
	t.Parallel()
	const absent, gone = "404 404 page not found\n", "unimplemented"
	tests := []struct {
		name string
		cfg  Config
		// want are the answers that differ from the default's.
		want map[string]string
	}{
		{"default", Config{}, nil},
		{"release_2", Config{Release: Release2}, nil},
		{"release_1", Config{Release: Release1}, map[string]string{
			"ArchiveCascadeTrajectory": absent, "GetCascadeTranscriptForTrajectoryId": absent,
		}},
		{"hidden", Config{Cascade: Cascade{Retired: RetiredHidden}}, everyCascadeMethod(absent)},
		{"unimplemented", Config{Cascade: Cascade{Retired: RetiredUnimplemented}}, everyCascadeMethod(gone)},
		{"refused", Config{Cascade: Cascade{Retired: RetiredRefused}}, map[string]string{
			"StartCascade": "failed_precondition", "SendUserCascadeMessage": "failed_precondition",
		}},
		{"missing", Config{Cascade: Cascade{Missing: []string{"CheckUserMessageRateLimit", "StartCascade"}}}, map[string]string{
			"CheckUserMessageRateLimit": gone, "StartCascade": gone,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := map[string]string{
				"InitializeCascadePanelState": "ok", "CheckUserMessageRateLimit": "ok", "StartCascade": "ok",
				"SendUserCascadeMessage":  "panel state not found",
				"CancelCascadeInvocation": "not_found", "ArchiveCascadeTrajectory": "not_found",
				"GetCascadeTranscriptForTrajectoryId": "not_found", "GetCascadeTrajectory": "not_found",
				"GetCascadeTrajectorySteps": "not_found", "GetAllCascadeTrajectories": "ok",
				"GetCascadeModelConfigs": gone, "UpdateWorkspaceTrust": absent,
			}
			maps.Copy(want, tt.want)
			tt.cfg.Token = "t"
			s := start(t, tt.cfg)
			got := map[string]string{}
			for method := range want {
				if method == "InitializeCascadePanelState" {
					continue // comes last, because it changes the answers of others
				}
				got[method] = outcome(t, call(t, s, method, "t", keyed("k")))
			}
			got["InitializeCascadePanelState"] = outcome(t, call(t, s, "InitializeCascadePanelState", "t", keyed("k")))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	}
}

func everyCascadeMethod(answer string) map[string]string {
	all := map[string]string{}
	for _, method := range cascadeMethods {
		all[method] = answer
	}
	return all
}

// outcome is an answer in a word: its code, or its message if the code says nothing.
func outcome(t *testing.T, a answer) string {
	t.Helper()
	switch {
	case a.Status == 200:
		return "ok"
	case a.Type != "application/json":
		return fmt.Sprintf("%d %s", a.Status, a.Body)
	}
	failure := a.failure(t)
	if failure.Type == "unknown" {
		return failure.Body
	}
	return failure.Type
}

func TestCascadeKeys(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t", RefusedKeys: []string{"old"}, Cascade: Cascade{PanelReady: true}})
	for _, method := range []string{"InitializeCascadePanelState", "CheckUserMessageRateLimit", "StartCascade", "SendUserCascadeMessage"} {
		for _, body := range []string{"{}", keyed("old")} {
			if got := call(t, s, method, "t", body).code(t); got != "unauthenticated" {
				t.Errorf("%s without a good key: %s", method, got)
			}
		}
	}
	if got := call(t, s, "GetAllCascadeTrajectories", "t", "{}"); got.Body != "{}" {
		t.Errorf("the list without a key: %d %s", got.Status, got.Body)
	}
	if got := call(t, s, "GetAllCascadeTrajectories", "T", "{}").code(t); got != "permission_denied" {
		t.Errorf("the list without the token: %s", got)
	}
}

// In all retirements, the plan omits the field that says that there is a Cascade.
func TestRetiredPlan(t *testing.T) {
	t.Parallel()
	for retired, want := range map[Retirement]any{RetiredNot: true, RetiredHidden: nil, RetiredUnimplemented: nil, RetiredRefused: nil} {
		s := start(t, Config{Token: "t", Cascade: Cascade{Retired: retired}})
		info, _ := s.planOf(t)["planInfo"].(map[string]any)
		devin, _ := info["devinInfo"].(map[string]any)
		if got := devin["canUseCascade"]; devin == nil || got != want {
			t.Errorf("%q: devinInfo = %v", retired, devin)
		}
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	for limit, want := range map[RateLimit]string{
		RateLimitNone:    `200 {"hasCapacity":true,"messagesRemaining":-1,"maxMessages":-1}`,
		RateLimitReached: `200 {"message":"Too many messages for this model (simulated)","maxMessages":25,"resetsInSeconds":"90"}`,
		RateLimitError:   `500 {"code":"unknown","message":"rate limits are not to be had (simulated)"}`,
	} {
		s := start(t, Config{Token: "t", Cascade: Cascade{RateLimit: limit}})
		got := call(t, s, "CheckUserMessageRateLimit", "t", keyed("k"))
		body := strings.NewReplacer(", ", ",", `": `, `":`).Replace(got.Body)
		if text := fmt.Sprintf("%d %s", got.Status, body); text != want {
			t.Errorf("%q: %s, want %s", limit, text, want)
		}
	}
}

// The steps of a trajectory are those of the sample, and an offset cuts them. In a
// transcript, it also renumbers them.
func TestOffsets(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t", Cascade: quick(Cascade{Turn: "echo", PanelReady: true})})
	id := open(t, s)
	call(t, s, "SendUserCascadeMessage", "t", prompt(id, model, "hello")).fields(t)
	finish(t, s, id)

	offset := fmt.Sprintf(`{"cascadeId":%q,"stepOffset":2}`, id)
	steps, _ := call(t, s, "GetCascadeTrajectorySteps", "t", offset).fields(t)["steps"].([]any)
	var got []any
	for _, step := range steps {
		fields := step.(map[string]any)
		delete(fields, "metadata")
		got = append(got, fields)
	}
	want := []any{
		map[string]any{
			"type": "CORTEX_STEP_TYPE_PLANNER_RESPONSE", "status": "CORTEX_STEP_STATUS_DONE",
			"plannerResponse": map[string]any{"response": "hello"},
		},
		map[string]any{
			"type": "CORTEX_STEP_TYPE_CHECKPOINT", "status": "CORTEX_STEP_STATUS_DONE",
			"checkpoint": map[string]any{"conversationTitle": "hello"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	text := map[string]any{
		"transcript":    "=== MESSAGE 0 - Assistant ===\nhello\n\n=== MESSAGE 1 - Tool ===\n[CORTEX_STEP_TYPE_CHECKPOINT]\n\n",
		"numTotalSteps": 4.0,
	}
	if diff := cmp.Diff(text, call(t, s, "GetCascadeTranscriptForTrajectoryId", "t", offset).fields(t)); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}

	trajectory, _ := call(t, s, "GetCascadeTrajectory", "t", of(id)).fields(t)["trajectory"].(map[string]any)
	all, _ := trajectory["steps"].([]any)
	input := all[1].(map[string]any)["userInput"]
	user := map[string]any{"userResponse": "hello", "items": []any{map[string]any{"text": "hello"}}}
	if diff := cmp.Diff(user, input); diff != "" || trajectory["cascadeId"] != id || trajectory["trajectoryId"] == id {
		t.Errorf("trajectory of %v, user input (-want +got):\n%s", trajectory["cascadeId"], diff)
	}
}
