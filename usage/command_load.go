package usage

import (
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe/redact"
)

// load gets an answer, decodes it and judges it. The snapshot beside an error
// says what is known without one.
func (c *statusCommand) load(cmd *cobra.Command, pinned time.Time) (Snapshot, error) {
	if c.from != "" {
		src := Source{Kind: KindFile, FetchedAt: pinned}
		raw, err := readAnswer(c.from, cmd.InOrStdin())
		if err != nil {
			return c.judge(Snapshot{Source: src.undated()}, pinned), err
		}
		c.answer = raw
		snapshot, err := Decode(raw, src)
		return c.judge(snapshot.WithPace(nil, c.pace()), pinned), err
	}
	at := pinned
	snapshot, err := c.fetch.noting(&c.answer).snapshot(cmd.Context(), c.variant, func() time.Time {
		if at.IsZero() {
			at = c.now()
		}
		return at
	})
	if err != nil {
		var kept []byte
		snapshot = c.recall.noting(&kept).Instead(cmd.Context(), c.variant, snapshot, err)
		if c.cached && snapshot.Source.Kind == KindCache {
			c.answer, err = kept, nil
		}
		return c.judge(snapshot, at), err
	}
	var history History
	if pinned.IsZero() { // figures of another time are no history
		history = c.record.history(cmd.Context(), snapshot)
	}
	return c.judge(snapshot.WithPace(history, c.pace()), at), err
}

func (c *statusCommand) pace() PaceOptions { return c.config.Pace(c.location) }

func (c *statusCommand) judge(s Snapshot, at time.Time) Snapshot {
	if at.IsZero() {
		at = c.now()
	}
	return s.At(at)
}

// fileError is a saved answer that cannot be read. It does not repeat the
// file's name, which may hold a user's.
type fileError struct {
	sentence string
	cause    error
}

func (e *fileError) Error() string {
	if e.cause == nil {
		return "read answer: too large"
	}
	return "read answer: " + e.cause.Error()
}

func (e *fileError) Unwrap() error    { return e.cause }
func (*fileError) Code() string       { return CodeBadPayload }
func (e *fileError) Sentence() string { return e.sentence }
func (*fileError) ExitCode() int      { return 1 }

// maxAnswer is a hundred times the largest answer seen.
const maxAnswer = 16 << 20

// readAnswer reads a saved answer from a file, or from stdin for "-".
func readAnswer(name string, stdin io.Reader) ([]byte, error) {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, unreadableFile(err)
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxAnswer+1))
	if err != nil {
		return nil, unreadableFile(err)
	}
	if len(raw) > maxAnswer {
		return nil, &fileError{sentence: "The file given to --from is larger than 16 MB, which no answer is. Give it a saved answer."}
	}
	return raw, nil
}

func unreadableFile(err error) error {
	err = redact.Path(err)
	return &fileError{
		sentence: "The file given to --from cannot be read: " + err.Error() + ". Check its name and its permissions.",
		cause:    err,
	}
}
