package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// Connection is a server that prompts can be sent to.
type Connection struct {
	Client *Client
	// Status is the server's GetUserStatus answer, which has the models.
	Status []byte
	// Close lets go of it.
	Close func()
}

// AskConfig is what `windsock ask` is made of.
type AskConfig struct {
	// Connect finds a server; variant is empty for any. Its error may have the
	// methods Sentence and ExitCode.
	Connect func(ctx context.Context, variant string) (Connection, error)
	// Settings gives the configured model and variant, each empty where there is
	// none. Its error ends the command.
	Settings func() (model, variant string, err error)
	// Back tells from a GetUserStatus answer, in a sentence, when what is used up
	// is back; "" where nothing is, or nobody knows.
	Back func(status []byte) string
	// Queue holds what is yet to be archived.
	Queue *Queue
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

// maxPrompt is far more than any model reads.
const maxPrompt = 768 << 10

// NewAskCommand is `windsock ask`. An error of it may have the methods Sentence
// and ExitCode.
func NewAskCommand(config AskConfig) *cobra.Command {
	c := &askCommand{AskConfig: config}
	cmd := &cobra.Command{
		Use:   "ask [PROMPT|-]",
		Short: "Send one prompt and print the answer",
		Long: `Send one prompt to a model of the plan, through the running editor, and print
the answer. What comes on standard input is added to the prompt, so that it can be
asked about; where there is nothing to add but standard input stays open, as in a loop of a
shell, write </dev/null behind the command.

On a terminal the answer is shown as it grows. Elsewhere it is written at its
end, because a server may write anew what it has written; --stream writes it as it
grows there, too.

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
	flags.DurationVar(&c.timeout, "timeout", 10*time.Minute, "give up after this `TIME`; 0 is never")
	flags.StringVar(&c.variant, "variant", "", "ask through this `NAME` of an editor only, such as windsurf-next")
	return cmd
}

func (c *askCommand) run(cmd *cobra.Command, args []string) error {
	switch {
	case c.timeout < 0:
		return senselessAsk("--timeout takes a time such as 90s or 5m.")
	case c.json && c.stream:
		return senselessAsk("--json comes at the end, so --stream has nothing to say beside it.")
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
func (c *askCommand) answer(ctx context.Context, cmd *cobra.Command, prompt, configured, variant string) (Answer, Model, error) {
	to, err := c.Connect(ctx, variant)
	if err != nil {
		return Answer{}, Model{}, err
	}
	defer to.Close()
	chosen, err := chooseFor(to.Status, c.model, configured)
	if err != nil {
		return Answer{}, Model{}, err
	}
	answer, err := c.ask(ctx, cmd, to.Client, chosen, prompt)
	if failure, ok := errors.AsType[*Failure](err); ok && failure.code == QuotaExhausted {
		failure.back = c.Back(to.Status)
	}
	return answer, chosen, err
}

func (c *askCommand) ask(ctx context.Context, cmd *cobra.Command, client *Client, model Model, prompt string) (Answer, error) {
	c.PutAway(archiveTime + time.Second)
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
	answer, err := client.Ask(asking, Prompt{Text: prompt, Model: model.UID}, c.Queue, func(e Event) {
		if screen.show(e); screen.failed != nil {
			leave()
		}
	}, c.Log)
	c.PutAway(0)
	switch written := screen.end(answer, model, err); {
	case errors.Is(written, syscall.EPIPE):
		return answer, askError{exit: 1} // who reads no further wants to hear nothing either
	case written != nil:
		return answer, fmt.Errorf("write answer: %w", written)
	}
	return answer, err
}

// chooseFor is the model of that name, else the configured one or what stands in
// for it.
func chooseFor(status []byte, name, configured string) (Model, error) {
	all, err := DecodeModels(status)
	if err != nil {
		return Model{}, err
	}
	if strings.TrimSpace(name) != "" {
		return all.Resolve(name)
	}
	m, _, err := all.Default(configured)
	return m, err
}

// readPrompt composes the prompt. Somebody may keep standard input open without
// ever writing to it: the reading is left alone at the end of ctx then.
func readPrompt(ctx context.Context, args []string, stdin io.Reader) (string, error) {
	type result struct {
		prompt string
		err    error
	}
	read := make(chan result, 1)
	go func() { // ends with standard input, or with the process
		prompt, err := composePrompt(args, stdin, isTerminalStream(stdin))
		read <- result{prompt, err}
	}()
	select {
	case r := <-read:
		return r.prompt, r.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", askError{"Standard input did not end in time. Where there is nothing to add to the prompt, write </dev/null behind the command.", 1}
		}
		return "", ctx.Err()
	}
}

// composePrompt puts the arguments and what is piped in together, the arguments
// first. "-" stands for standard input, which is read in any case where nobody
// types into it.
func composePrompt(args []string, stdin io.Reader, typed bool) (string, error) {
	if len(args) == 1 && args[0] == "-" {
		args, typed = nil, false
	}
	parts := []string{strings.TrimSpace(strings.Join(args, " "))}
	if !typed {
		piped, err := io.ReadAll(io.LimitReader(stdin, maxPrompt+1))
		if err != nil && !errors.Is(err, os.ErrClosed) {
			return "", fmt.Errorf("read prompt: %w", err)
		}
		parts = append(parts, strings.TrimRight(string(piped), "\r\n"))
	}
	prompt := strings.TrimPrefix(strings.Join(parts, "\n\n"), "\n\n")
	prompt = strings.TrimSuffix(prompt, "\n\n")
	switch {
	case strings.TrimSpace(prompt) == "":
		return "", senselessAsk(`There is no prompt. Write one behind the command, as in windsock ask "…", or pipe one in.`)
	case len(prompt) > maxPrompt:
		return "", senselessAsk(fmt.Sprintf("The prompt has more than %d KB, which no model reads.", maxPrompt>>10))
	case !utf8.ValidString(prompt):
		return "", senselessAsk("The prompt is not text in UTF-8. Convert it first, with iconv for example.")
	}
	return prompt, nil
}

// askError ends the command with a sentence and an exit code.
type askError struct {
	sentence string // "" where there is nothing to tell
	exit     int
}

func senselessAsk(sentence string) error { return askError{sentence, 2} }

func (e askError) Error() string { return e.sentence }

// ExitCode returns 2 for a command line that makes no sense.
func (e askError) ExitCode() int { return e.exit }

// askProblem is why there is no answer, or none that is whole.
type askProblem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// problems are those of an error; none without one.
func problems(err error) []askProblem {
	if err == nil {
		return []askProblem{}
	}
	p := askProblem{Code: "failed", Message: err.Error()}
	if coded, ok := errors.AsType[interface {
		error
		Code() string
	}](err); ok {
		p.Code = coded.Code()
	}
	if spoken, ok := errors.AsType[interface {
		error
		Sentence() string
	}](err); ok {
		p.Message = spoken.Sentence()
	}
	return []askProblem{p}
}

// writeAnswer writes schema 1. Beside an error the answer is what there was of it.
func writeAnswer(out io.Writer, a Answer, m Model, failed error) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(struct {
		Schema    int    `json:"schema"`
		Text      string `json:"text"`
		Model     string `json:"model"`
		CascadeID string `json:"cascade_id"`
		Duration  int64  `json:"duration_ms"`
		Archived  bool   `json:"archived"`
		ToolOnly  bool   `json:"tool_only"`
		Cost      Cost   `json:"cost"`

		Problems []askProblem `json:"problems"`
	}{1, a.Text, m.UID, a.CascadeID, a.Duration.Milliseconds(), a.Archived, a.ToolOnly, a.Cost, problems(failed)})
	if err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}
