package terminal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// Confirm asks a person a question. Only y and yes mean yes. Its error is that of out,
// or of ctx if ctx ends before the answer.
func Confirm(ctx context.Context, in io.Reader, out io.Writer, question string) (bool, error) {
	answer, err := Ask(ctx, in, out, question+" [y/N] ")
	return answer == "y" || answer == "yes", err
}

// Ask asks a person a question, and returns the answer in lower case without blanks at
// its ends; the end of input is "". Its error is as Confirm's.
func Ask(ctx context.Context, in io.Reader, out io.Writer, question string) (string, error) {
	if _, err := io.WriteString(out, question); err != nil {
		return "", fmt.Errorf("write question: %w", err)
	}
	answers := make(chan string, 1)
	// A read of a terminal cannot be cancelled. It ends with an answer, or with the
	// process, and an interrupted command is about to end the process.
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n')
		answers <- line
	}()
	select {
	case <-ctx.Done():
		_, _ = io.WriteString(out, "\n")
		return "", ctx.Err()
	case line := <-answers:
		if !strings.HasSuffix(line, "\n") {
			_, _ = io.WriteString(out, "\n")
		}
		return strings.ToLower(strings.TrimSpace(line)), nil
	}
}
