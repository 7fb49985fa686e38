package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"windsock/chat"
	"windsock/probe/say"
)

// readPrompt composes the prompt; typed says that standard input is a terminal. Standard
// input may never end, so the end of ctx stops the reading.
func readPrompt(ctx context.Context, args []string, stdin io.Reader, typed bool) (string, error) {
	type result struct {
		prompt string
		err    error
	}
	read := make(chan result, 1)
	go func() { // ends with standard input, or with the process
		prompt, err := composePrompt(args, stdin, typed)
		read <- result{prompt, err}
	}()
	select {
	case r := <-read:
		return r.prompt, r.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", &say.Error{What: "Standard input did not end in time.", Cure: "If there is nothing to add to the prompt, write </dev/null behind the command."}
		}
		return "", ctx.Err()
	}
}

// composePrompt joins the arguments and the piped input, in this order. "-" stands for
// standard input, which is always read unless it is a terminal.
func composePrompt(args []string, stdin io.Reader, typed bool) (string, error) {
	if len(args) == 1 && args[0] == "-" {
		args, typed = nil, false
	}
	parts := []string{strings.TrimSpace(strings.Join(args, " "))}
	if !typed {
		piped, err := io.ReadAll(io.LimitReader(stdin, chat.MaxPrompt+1))
		if err != nil && !errors.Is(err, os.ErrClosed) {
			return "", fmt.Errorf("read prompt: %w", err)
		}
		parts = append(parts, strings.TrimRight(string(piped), "\r\n"))
	}
	prompt := strings.TrimPrefix(strings.Join(parts, "\n\n"), "\n\n")
	prompt = strings.TrimSuffix(prompt, "\n\n")
	switch {
	case strings.TrimSpace(prompt) == "":
		return "", say.Usage("There is no prompt. Write one behind the command, as in `windsock ask \"…\"`, or pipe one in.")
	case len(prompt) > chat.MaxPrompt:
		return "", say.Usage("The prompt has more than %d KB, which no model reads.", chat.MaxPrompt>>10)
	case !utf8.ValidString(prompt):
		return "", say.Usage("The prompt is not text in UTF-8. Convert it first, with iconv for example.")
	}
	return prompt, nil
}
