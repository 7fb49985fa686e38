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

// ErrUnsupported is in the chain of every error that says that the server has no
// such RPC (PROTOCOL.md 7.8).
var ErrUnsupported = errors.New("the server has no such call")

// meanings are the parts of a server's words that tell what is amiss
// (PROTOCOL.md 7.8). They are looked for in any case.
var meanings = []struct {
	part string
	code chat.Code
}{
	{"quota has been exhausted", chat.QuotaExhausted},
	{"permission_denied", chat.NotInPlan}, // of the cloud, in the words of a step
	{"update your editor", chat.Outdated},
	{"version is out of date", chat.Outdated},
	{"not idle", chat.Busy},
	{"run_status_running", chat.Busy},
}

// panelForgotten is how a server asks for the panel's state again.
const panelForgotten = "panel state not found"

// errPanel is in the chain of an error that says panelForgotten. The message was
// not taken then.
var errPanel = errors.New("panel state not found")

// meaning is the code for what a server said, TurnFailed where it is none of the
// known ones.
func meaning(words string) chat.Code {
	words = strings.ToLower(words)
	for _, m := range meanings {
		if strings.Contains(words, m.part) {
			return m.code
		}
	}
	return chat.TurnFailed
}

// failureOf turns what a call returned into what a person can act on, nil into
// nil. What is a matter of finding the server stays the error of package probe.
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

// errorInside finds the error that an answer may carry although it is none
// (PROTOCOL.md 7.11).
func (c *Client) errorInside(answer []byte) error {
	message := gjson.GetBytes(answer, "deltaMessage")
	if !message.Get("isError").Bool() {
		return nil
	}
	words := message.Get("text").String()
	return &chat.Failure{Code: meaning(words), App: c.session.Server().App, Words: terminal.Short(words)}
}
