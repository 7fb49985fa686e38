package status

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe/redact"
	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/windsurf"
)

// load gets an answer, decodes it and judges it. A snapshot beside an error holds what
// is known nevertheless.
func (c *statusCommand) load(cmd *cobra.Command, pinned time.Time) (usage.Snapshot, error) {
	if c.from != "" {
		raw, err := readAnswer(c.from, cmd.InOrStdin())
		if err != nil {
			return c.judge(usage.Snapshot{Source: usage.Source{Kind: usage.KindFile}}, pinned), err
		}
		c.answer = raw
		snapshot, err := windsurf.Decode(raw, usage.Source{Kind: usage.KindFile, FetchedAt: pinned})
		return c.judge(pace.Judge(snapshot, nil, c.pace()), pinned), err
	}
	at := pinned
	config := poll.Config{
		Settings: poll.Settings{Variant: c.variant, Pace: c.pace()},
		Fetch: func(ctx context.Context, ask poll.Ask) []poll.Reading {
			readings := c.Fetch(ctx, ask)
			for _, r := range readings {
				if c.answer == nil && r.Err == nil {
					c.answer = r.Raw
				}
			}
			return readings
		},
		Now: func() time.Time {
			if at.IsZero() {
				at = c.Now()
			}
			return at
		},
	}
	if pinned.IsZero() { // figures of another time do not enter the history
		config.Record = c.Record
	}
	var kept []byte
	config.Recall = c.recall(&kept)
	state := poll.Look(cmd.Context(), config).Lead()
	if state.Err != nil && c.cached && state.Snapshot.Source.Kind == usage.KindCache {
		c.answer, state.Err = kept, nil
	}
	return state.Snapshot, state.Err
}

func (c *statusCommand) pace() pace.Options { return c.config.Pace(c.location) }

func (c *statusCommand) judge(s usage.Snapshot, at time.Time) usage.Snapshot {
	if at.IsZero() {
		at = c.Now()
	}
	return s.At(at)
}

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
		return nil, badFile("is larger than 16 MB, which no answer is.", "Give it a saved answer.", errors.New("too large"))
	}
	return raw, nil
}

// unreadableFile leaves out the file's name, which may hold a user's name.
func unreadableFile(err error) error {
	err = redact.Path(err)
	return badFile("cannot be read: "+err.Error()+".", "Check its name and its permissions.", err)
}

func badFile(what, cure string, cause error) error {
	return &say.Error{
		Code: usage.CodeBadPayload, What: "The file given to --from " + what, Cure: cure, Cause: fmt.Errorf("read answer: %w", cause),
	}
}

// recall is the Recall of the command. raw becomes the last cache read, which is the
// one shown, if any.
func (c *statusCommand) recall(raw *[]byte) poll.Recall {
	if c.Recall == nil {
		return nil
	}
	return func(ctx context.Context, ask poll.Ask) iter.Seq2[poll.Cached, error] {
		return func(yield func(poll.Cached, error) bool) {
			c.Recall(ctx, ask)(func(cached poll.Cached, err error) bool {
				*raw = cached.Raw
				return yield(cached, err)
			})
		}
	}
}
