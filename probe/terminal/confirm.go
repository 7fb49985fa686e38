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
	if _, err := io.WriteString(out, question+" [y/N] "); err != nil {
		return false, fmt.Errorf("write question: %w", err)
	}
	answers := make(chan string, 1)
	// A read of a terminal cannot be cancelled. It ends with an answer, or with the
	// process, and an interrupted command is about to end the process.
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // end of input means no
		answers <- line
	}()
	select {
	case <-ctx.Done():
		_, _ = io.WriteString(out, "\n")
		return false, ctx.Err()
	case line := <-answers:
		if !strings.HasSuffix(line, "\n") {
			_, _ = io.WriteString(out, "\n")
		}
		answer := strings.ToLower(strings.TrimSpace(line))
		return answer == "y" || answer == "yes", nil
	}
}
