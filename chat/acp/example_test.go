package acp

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/google/go-cmp/cmp"

	"windsock/chat"
)

// TestExampleAgent: the framing and the turn meet another implementation of the
// protocol, the example of the Go library, as a program. It has no model: it reads,
// asks to edit, and says what became of that.
func TestExampleAgent(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes its time on purpose")
	}
	if sdk.ProtocolVersionNumber != 1 {
		t.Fatalf("it speaks version %d", sdk.ProtocolVersionNumber)
	}
	program := filepath.Join(t.TempDir(), "agent.exe") // as Windows wants it
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/coder/acp-go-sdk/example/agent")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := newRealRig(t, program)
	var grown strings.Builder
	var works []string
	answer, err := r.Ask(t.Context(), hello, func(e chat.Event) {
		if e.Kind == chat.Works {
			works = append(works, e.Text)
		} else {
			grown.WriteString(e.Text)
		}
	})
	if err != nil || !strings.HasSuffix(answer.Text, "I'll skip the configuration update.") || grown.String() != answer.Text || answer.Left != chat.LeftForGood {
		t.Errorf("%+v, %v", answer, err)
	}
	if diff := cmp.Diff([]string{"read…", "edit…"}, works); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = r.Ask(ctx, hello, func(e chat.Event) {
		if e.Kind == chat.Works {
			cancel()
		}
	})
	if got := (asked{err: err}).code(); got != "cancelled" {
		t.Errorf("cancelled: %v", err)
	}
	r.Close()
	r.empty(t)
}
