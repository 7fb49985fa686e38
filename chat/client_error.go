package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"connectrpc.com/connect"
	"github.com/tidwall/gjson"

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
	code Code
}{
	{"quota has been exhausted", QuotaExhausted},
	{"permission_denied", NotInPlan}, // of the cloud, in the words of a step
	{"update your editor", Outdated},
	{"version is out of date", Outdated},
	{"not idle", Busy},
	{"run_status_running", Busy},
}

// panelForgotten is how a server asks for the panel's state again.
const panelForgotten = "panel state not found"

// errPanel is in the chain of an error that says panelForgotten. The message was
// not taken then.
var errPanel = errors.New("panel state not found")

// meaning is the code for what a server said, TurnFailed where it is none of the
// known ones.
func meaning(words string) Code {
	words = strings.ToLower(words)
	for _, m := range meanings {
		if strings.Contains(words, m.part) {
			return m.code
		}
	}
	return TurnFailed
}

// failureOf turns what a call returned into what a person can act on, nil into
// nil. What is a matter of finding the server stays the error of package probe.
func failureOf(err error) error {
	call, ok := errors.AsType[*probe.CallError](err)
	if !ok || errors.Is(err, context.Canceled) {
		return err
	}
	words := call.Words()
	code, told := call.Code()
	switch {
	case call.Unsupported():
		return &Failure{Code: CascadeOff, App: call.App(), Cause: fmt.Errorf("%w: %w", ErrUnsupported, err)}
	case strings.Contains(strings.ToLower(words), panelForgotten):
		return &Failure{Code: TurnFailed, App: call.App(), Words: terminal.Short(words), Cause: fmt.Errorf("%w: %w", errPanel, err)}
	case told && (meaning(words) != TurnFailed || code == connect.CodeFailedPrecondition):
		return &Failure{Code: meaning(words), App: call.App(), Words: terminal.Short(words), Cause: err}
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
	return &Failure{Code: meaning(words), App: c.session.Server().App, Words: terminal.Short(words)}
}
