package acp

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/chat/acp/wire"
	"windsock/probe/say"
)

// TestSentences: what a person reads of each failure, with its cure.
func TestSentences(t *testing.T) {
	t.Parallel()
	call := func(method string, code int64, message string) error {
		return &callError{method, &wire.Error{Code: code, Message: message}}
	}
	tests := []struct {
		name     string
		profile  Profile
		err      error
		code     chat.Code
		sentence string
	}{
		{
			"not_signed_in", Devin, call(methodNew, -32000, "Authentication required"), chat.NotSignedIn,
			"Devin is not signed in: Authentication required. Run `devin auth login` in a terminal, then ask again.",
		},
		{
			"cursor_not_signed_in", Cursor, call(methodNew, -32000, ""), chat.NotSignedIn,
			"Cursor is not signed in. Run `cursor-agent login` in a terminal, then ask again.",
		},
		{
			"too_new", Devin, errTooNew, chat.AgentTooNew,
			"The agent of Devin speaks a newer protocol than Windsock. Update Windsock.",
		},
		{
			"no_acp", Custom([]string{"/opt/tool"}, nil), call(methodInitialize, -32601, "Method not found"), chat.NoACP,
			"The program of tool does not speak the Agent Client Protocol. Update it, or choose another engine.",
		},
		{
			"acts", Devin, &actsError{"execute"}, chat.AgentActs,
			"The agent of Devin did more than answer, so Windsock stopped it: it may have run a command. " +
				"Check whether anything has changed. Its own settings can forbid it that.",
		},
		{
			"daring", Custom([]string{"tool"}, nil), errDaring, chat.AgentUnsafe,
			"Windsock does not ask the agent of tool: in every mode that it has it acts without asking. Choose another engine.",
		},
		{
			"session_hangs", Devin, &slowError{methodNew, newTime}, chat.TimedOut,
			"Nothing came from the agent of Devin for 45 seconds, and it had not begun. MCP servers of its own settings may hang. Look at those, then ask again.",
		},
		{
			"silence", Devin, &slowError{methodPrompt, silenceTime}, chat.TimedOut,
			"Nothing came from the agent of Devin for 3 minutes. Ask again.",
		},
		{
			"gone", Devin, &goneError{io.EOF}, chat.ServerGone,
			"The agent of Devin ended before the answer did. Ask again. If it ends each time, update it.",
		},
		{
			"too_much", Devin, &goneError{wire.ErrLine}, chat.TurnFailed,
			"Devin could not answer: it sent more than Windsock reads. Try again, or choose another model.",
		},
		{
			"noise", Devin, &goneError{wire.ErrNoise}, chat.TurnFailed,
			"Devin could not answer: it sent something that is no message. Try again, or choose another model.",
		},
		{
			"not_started", Devin, &startError{errors.New("run program: exec format error")}, chat.TurnFailed,
			"Windsock could not start the agent of Devin: run program: exec format error. " + Devin.install,
		},
		{
			"its_own_words", Devin, call(methodPrompt, -32603, "Internal\x1b[31m error\n"), chat.TurnFailed,
			"Devin could not answer: Internal error. Try again, or choose another model.",
		},
		{
			"waits", Devin, &callError{methodPrompt, &wire.Error{Code: -32011, Message: "Slow down.", Data: gjson.Parse(`{"cognition.ai/retryAfterSeconds":30}`)}}, chat.RateLimited,
			"This model takes no message at the moment: Slow down. There is capacity again in 30s.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.profile.failure(t.Context(), tt.err)
			if got := say.Sentence(err, ""); got != tt.sentence || say.Code(err) != string(tt.code) {
				t.Errorf("%s: %s", say.Code(err), got)
			}
		})
	}
}

// TestFailureOfContext: a cancel stays one, and a deadline is a timeout, whatever else
// went wrong meanwhile.
func TestFailureOfContext(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, stop := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer stop()
	if err := Devin.failure(cancelled, &goneError{io.EOF}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := Devin.failure(late, &goneError{io.EOF}); say.Code(err) != string(chat.TimedOut) {
		t.Error(err)
	}
	if err := Devin.failure(t.Context(), nil); err != nil {
		t.Error(err)
	}
}
