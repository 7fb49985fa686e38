package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"windsock/chat"
	"windsock/probe/say"
	"windsock/probe/terminal"
)

// Offered is the ID of the agent that is offered in Cascade's place: the one on the same
// plan.
const Offered = "devin"

// Consent is what a person is told and asked before an agent is started for them.
type Consent struct {
	// Configured is the ID of the engine in the settings; empty if none was chosen.
	Configured func() (string, error)
	// Found reports whether an agent's program is on this computer. It starts nothing.
	Found func(engine string) bool
	// Wording is the name of an agent and what to know of it, in paragraphs. It runs the
	// program for its version.
	Wording func(ctx context.Context, engine string) (name string, paragraphs []string, _ error)
	// Keep makes an engine the configured one.
	Keep func(engine string) error
}

// consentCommand is the part of a command that may start an agent.
type consentCommand struct {
	Consent
	console

	engine string // of the flag; empty if there is none
	yes    bool
}

func (c *consentCommand) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&c.engine, "engine", "", "ask the engine `NAME`, this time: "+oneOf(chat.Engines()))
	flags.BoolVarP(&c.yes, "yes", "y", false, "do not ask before the agent of --engine is started")
}

func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// errUnwanted ends a command whose agent the person did not want.
var errUnwanted = say.Told(1)

// seek checks the flag, and asks a person whether they want the agent that it names. The
// settings' own engine needs no question. Where nobody sees a question, the flag is
// consent: it names the program.
func (c *consentCommand) seek(cmd *cobra.Command) error {
	if c.engine != "" && !slices.Contains(chat.Engines(), c.engine) {
		return say.Usage("--engine takes %s.", oneOf(chat.Engines()))
	}
	configured, err := c.Configured()
	if err != nil {
		return err
	}
	if !chat.IsAgent(c.engine) || c.engine == configured || c.yes || !c.sees(cmd) {
		return nil
	}
	kept, wanted, err := c.put(cmd, c.engine)
	if err == nil && kept {
		err = c.Keep(c.engine)
	}
	if err == nil && !wanted {
		err = errors.Join(writeText(cmd.ErrOrStderr(), "Nothing was sent.\n"), errUnwanted)
	}
	return err
}

// offer has a person choose an agent where Cascade is off, unless they have answered
// before. It returns the agent's ID, or "" and the error to end with.
func (c *consentCommand) offer(cmd *cobra.Command, failed error) (engine string, _ error) {
	f, isFailure := errors.AsType[*chat.Failure](failed)
	if !isFailure || f.Code != chat.CascadeOff || c.engine != "" {
		return "", failed
	}
	if configured, err := c.Configured(); err != nil || configured != "" || !c.Found(Offered) {
		return "", failed
	}
	if !c.sees(cmd) {
		told := *f
		told.Cure = "Devin's agent can answer in its place; `windsock ask --engine " + Offered + "` in a terminal says what that means."
		return "", &told
	}
	if err := writeText(cmd.ErrOrStderr(), "windsock: "+say.Sentence(failed, "")+" Devin's agent can answer in its place.\n\n"); err != nil {
		return "", err
	}
	kept, wanted, err := c.put(cmd, Offered)
	switch {
	case err != nil:
		return "", err
	case !wanted: // it is offered once
		return "", errors.Join(c.Keep(chat.Cascade), say.Told(1))
	case kept:
		return Offered, c.Keep(Offered)
	}
	return Offered, nil
}

// sees reports whether a person sees a question and can answer it.
func (c *consentCommand) sees(cmd *cobra.Command) bool {
	return c.terminal(cmd.InOrStdin()) && c.terminal(cmd.ErrOrStderr())
}

// put says what to know of an agent, and asks.
func (c *consentCommand) put(cmd *cobra.Command, engine string) (kept, wanted bool, _ error) {
	name, paragraphs, err := c.Wording(cmd.Context(), engine)
	if err != nil {
		return false, false, err
	}
	width := min(c.width(cmd.ErrOrStderr()), 100)
	var text strings.Builder
	for _, paragraph := range paragraphs {
		text.WriteString(modelLines(terminal.Line(paragraph), width, "") + "\n")
	}
	if err := writeText(cmd.ErrOrStderr(), text.String()); err != nil {
		return false, false, err
	}
	question := fmt.Sprintf("Start %s? [y: this time, a: from now on, N: no] ", name)
	answer, err := terminal.Ask(cmd.Context(), cmd.InOrStdin(), cmd.ErrOrStderr(), question)
	switch answer {
	case "a", "always":
		return true, true, err
	case "y", "yes":
		return false, true, err
	}
	return false, false, err
}
