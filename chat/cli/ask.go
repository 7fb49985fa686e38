// Package cli has the commands that ask models, list them and clean up behind them,
// and what a terminal shows of that.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"windsock/chat"
	"windsock/chat/cascade"
	"windsock/chat/models"
	"windsock/probe/say"

	"github.com/spf13/cobra"
)

// Connection is a server that prompts can be sent to.
type Connection struct {
	Client *cascade.Client
	// Status is the server's GetUserStatus answer, which has the models.
	Status []byte
	// Close lets go of it.
	Close func()
}

// AskConfig is what `windsock ask` is made of.
type AskConfig struct {
	// Connect finds a server; variant is empty for any.
	Connect func(ctx context.Context, variant string) (Connection, error)
	// Settings gives the configured model and variant, each empty where there is
	// none. Its error ends the command.
	Settings func() (model, variant string, err error)
	// Back tells from a GetUserStatus answer, in a sentence, when what is used up
	// is back; "" where nothing is, or nobody knows.
	Back func(status []byte) string
	// Queue holds what is yet to be archived.
	Queue *cascade.Queue
	// Drain archives what earlier prompts have left behind. It is called while the
	// person waits for the answer, and its context ends with that.
	Drain func(context.Context)
	// PutAway is told how long the command needs after a Ctrl-C.
	PutAway func(time.Duration)
	Log     *slog.Logger
}

// askCommand is `windsock ask`.
type askCommand struct {
	AskConfig

	model, variant string
	json, stream   bool
	timeout        time.Duration
}

// NewAskCommand is `windsock ask`.
func NewAskCommand(config AskConfig) *cobra.Command {
	c := &askCommand{AskConfig: config}
	cmd := &cobra.Command{
		Use:   "ask [PROMPT|-]",
		Short: "Send one prompt and print the answer",
		Long: `Send one prompt to a model of the plan, through the running editor, and print
the answer. What comes on standard input is added to the prompt, so that it can be
asked about; where there is nothing to add but standard input stays open, as in a loop of a
shell, write </dev/null behind the command.

On a terminal the answer is shown as it grows, without what would steer the
terminal. Elsewhere it is written at its end, because a server may write anew what it
has written; --stream writes it as it grows there, too. A pipe or file gets it to the
letter, escape sequences too, which a terminal behind the pipe obeys (| cat).

The cascade that the prompt leaves behind is archived. Ctrl-C cancels the answer and
archives it as well; a second one ends at once.`,
		Example: `  windsock ask "What does EXDEV mean?"
  git diff | windsock ask "write a commit message"
  windsock ask --model gpt-5.2:high < question.md > answer.md
  windsock ask --json "ping" | jq .cost`,
		RunE: c.run,
	}
	flags := cmd.Flags()
	flags.StringVarP(&c.model, "model", "m", "", "ask this model: a `NAME` as windsock models lists it")
	flags.BoolVar(&c.json, "json", false, "write JSON, schema 1, at the end")
	flags.BoolVar(&c.stream, "stream", false, "write the answer as it grows, also where nobody looks")
	flags.DurationVar(&c.timeout, "timeout", 10*time.Minute, "give up after `TIME`, such as 30s; 0 is never")
	flags.StringVar(&c.variant, "variant", "", "ask only through the editor `NAME`, such as windsurf-next")
	return cmd
}

func (c *askCommand) run(cmd *cobra.Command, args []string) error {
	switch {
	case c.timeout < 0:
		return say.Usage("--timeout takes a time such as 90s or 5m.")
	case c.json && c.stream:
		return say.Usage("--json comes at the end, so --stream has nothing to say beside it.")
	}
	model, variant, err := c.Settings()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	prompt, err := readPrompt(ctx, args, cmd.InOrStdin())
	if err != nil {
		return err
	}
	answer, asked, err := c.answer(ctx, cmd, prompt, model, cmp.Or(c.variant, variant))
	if c.json {
		if written := writeAnswer(cmd.OutOrStdout(), answer, asked, err); written != nil {
			return written
		}
	}
	return err
}

// answer asks, and shows what is to be shown before the end.
func (c *askCommand) answer(ctx context.Context, cmd *cobra.Command, prompt, configured, variant string) (chat.Answer, chat.Model, error) {
	to, err := c.Connect(ctx, variant)
	if err != nil {
		return chat.Answer{}, chat.Model{}, err
	}
	defer to.Close()
	chosen, err := chooseFor(to.Status, c.model, configured)
	if err != nil {
		return chat.Answer{}, chat.Model{}, err
	}
	answer, err := c.ask(ctx, cmd, to.Client, chosen, prompt)
	if failure, ok := errors.AsType[*chat.Failure](err); ok && failure.Code == chat.QuotaExhausted {
		failure.Back = c.Back(to.Status)
	}
	return answer, chosen, err
}

func (c *askCommand) ask(ctx context.Context, cmd *cobra.Command, client *cascade.Client, model chat.Model, prompt string) (chat.Answer, error) {
	c.PutAway(cascade.ArchiveTime + time.Second)
	var draining sync.WaitGroup // ends with the answer
	beside, stop := context.WithCancel(ctx)
	defer draining.Wait()
	defer stop()
	draining.Go(func() { c.Drain(beside) })
	// A reader that leaves, as head does, would end the process here and now, and
	// leave the turn running.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	asking, leave := context.WithCancel(ctx)
	defer leave()
	screen := newScreen(cmd.OutOrStdout(), cmd.ErrOrStderr(), screenMode{stream: c.stream, silent: c.json})
	answer, err := client.Ask(asking, chat.Prompt{Text: prompt, Model: model.UID}, c.Queue, func(e chat.Event) {
		if screen.show(e); screen.failed != nil {
			leave()
		}
	}, c.Log)
	c.PutAway(0)
	switch written := screen.end(answer, model, err); {
	case errors.Is(written, syscall.EPIPE):
		return answer, say.Told(1) // who reads no further wants to hear nothing either
	case written != nil:
		return answer, fmt.Errorf("write answer: %w", written)
	}
	return answer, err
}

// chooseFor is the model of that name, else the configured one or what stands in
// for it.
func chooseFor(status []byte, name, configured string) (chat.Model, error) {
	all, err := models.Decode(status)
	if err != nil {
		return chat.Model{}, err
	}
	if strings.TrimSpace(name) != "" {
		return all.Resolve(name)
	}
	m, _, err := all.Default(configured)
	return m, err
}
