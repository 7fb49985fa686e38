package cascade

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"connectrpc.com/connect"
	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/probe"
	"windsock/probe/terminal"
)

// ErrUnsupported is in the chain of every error for an RPC that the server does not
// have (PROTOCOL.md 7.8).
var ErrUnsupported = errors.New("the server has no such call")

// meanings are the parts of a server's message that tell the cause (PROTOCOL.md 7.8).
// They match in any case.
var meanings = []struct {
	part string
	code chat.Code
}{
	{"quota has been exhausted", chat.QuotaExhausted},
	{"permission_denied", chat.NotInPlan}, // from the cloud, in the text of a step
	{"update your editor", chat.Outdated},
	{"version is out of date", chat.Outdated},
	{"not idle", chat.Busy},
	{"run_status_running", chat.Busy},
}

// panelForgotten is the message with which a server asks for the panel's state again.
const panelForgotten = "panel state not found"

// errPanel is in the chain of an error with the message panelForgotten. The server has
// not taken the prompt then.
var errPanel = errors.New("panel state not found")

// meaning returns the code for a server's message, TurnFailed for an unknown message.
func meaning(words string) chat.Code {
	words = strings.ToLower(words)
	for _, m := range meanings {
		if strings.Contains(words, m.part) {
			return m.code
		}
	}
	return chat.TurnFailed
}

// failureOf turns the error of a call into one that a person can act on, and nil into
// nil. An error of finding the server stays an error of package probe.
func failureOf(err error) error {
	call, ok := errors.AsType[*probe.Failure](err)
	if !ok || errors.Is(err, context.Canceled) {
		return err
	}
	words := call.Words()
	code, told := call.Refusal()
	switch {
	case call.Unsupported():
		return &chat.Failure{Code: chat.CascadeOff, App: call.Server().App, Cause: fmt.Errorf("%w: %w", ErrUnsupported, err)}
	case strings.Contains(strings.ToLower(words), panelForgotten):
		return &chat.Failure{Code: chat.TurnFailed, App: call.Server().App, Words: terminal.Short(words), Cause: fmt.Errorf("%w: %w", errPanel, err)}
	case told && (meaning(words) != chat.TurnFailed || code == connect.CodeFailedPrecondition):
		return &chat.Failure{Code: meaning(words), App: call.Server().App, Words: terminal.Short(words), Cause: err}
	default:
		return err
	}
}

// errorInside finds the error inside an answer that reports success (PROTOCOL.md
// 7.11).
func (c *Client) errorInside(answer []byte) error {
	message := gjson.GetBytes(answer, "deltaMessage")
	if !message.Get("isError").Bool() {
		return nil
	}
	words := message.Get("text").String()
	return &chat.Failure{Code: meaning(words), App: c.session.Server().App, Words: terminal.Short(words)}
}
