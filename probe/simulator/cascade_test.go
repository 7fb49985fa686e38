package simulator

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// quick is a Cascade whose turns take no time to speak of.
func quick(c Cascade) Cascade {
	c.Idle, c.Tick = 5*time.Millisecond, time.Millisecond
	return c
}

// prompt is a message's body as other clients were seen to send it.
func prompt(id, model, text string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"cascadeId":%q,"items":[{"text":%s}],"metadata":{"apiKey":"sk-ws-01-test","ideName":"windsurf"},`+
		`"cascadeConfig":{"plannerConfig":{"conversational":{},"requestedModelUid":%q}}}`, id, quoted, model)
}

// fields is an answer's body.
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

// of is a body for a method that takes a cascade id only.
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
	eventually(t, "the end of the turn", func() bool {
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
