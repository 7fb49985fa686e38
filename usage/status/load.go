package status

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe/redact"
	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/product"
)

// load gets the answers, decodes them and judges them. The error is one of the command
// line; others stand in the plans.
func (c *statusCommand) load(cmd *cobra.Command, pinned time.Time) (poll.Plans, error) {
	if c.from != "" {
		return poll.Plans{c.saved(cmd, pinned)}, nil
	}
	at := pinned // or, once there are answers, the moment of these
	config := poll.Config{
		Settings: c.settings(), Products: c.products(), Salt: c.Salt,
		Fetch: func(ctx context.Context, ask poll.Ask) []poll.Reading {
			readings := c.Fetch(ctx, ask)
			if pinned.IsZero() {
				at = c.Now()
			}
			for _, r := range readings {
				if r.Err == nil {
					c.answers = append(c.answers, answer{cmp.Or(r.Product, usage.Windsurf), r.Variant, cmp.Or(r.Kind, usage.KindLanguageServer), r.Raw})
				}
			}
			return readings
		},
		Recall: c.recall(),
		Now: func() time.Time {
			if at.IsZero() {
				return c.Now()
			}
			return at
		},
	}
	if pinned.IsZero() { // figures of another time do not enter the history
		config.Record = c.Record
	}
	all, err := c.shown(poll.Look(cmd.Context(), config))
	for i, s := range all {
		if c.cached && s.Snapshot.Source.Kind == usage.KindCache {
			all[i].Err = nil
		}
	}
	return all, err
}

// saved is the plan of a saved answer.
func (c *statusCommand) saved(cmd *cobra.Command, pinned time.Time) poll.State {
	s := poll.State{At: pinned, Lead: true}
	if s.At.IsZero() {
		s.At = c.Now()
	}
	raw, err := readAnswer(c.from, cmd.InOrStdin())
	of := usage.Product(cmp.Or(c.product, string(product.Of(raw))))
	snapshot := usage.Snapshot{Source: usage.Source{Kind: usage.KindFile}, Plan: usage.Plan{Product: of}}
	if err == nil {
		c.answers = []answer{{of, "", usage.KindFile, raw}}
		snapshot, err = product.Decode(of, raw, usage.Source{Kind: usage.KindFile, FetchedAt: pinned})
		snapshot = pace.Judge(snapshot, nil, c.pace())
	}
	s.Name, s.Snapshot, s.Err = string(of), snapshot.At(s.At), err
	return s
}

// answer is what was read of one plan.
type answer struct {
	product usage.Product
	variant string
	kind    usage.SourceKind
	raw     []byte
}

// answerOf is the answer that a plan was decoded from, nil for none. A cache counts with
// --cached alone.
func (c *statusCommand) answerOf(s poll.State) []byte {
	of, source := cmp.Or(s.Snapshot.Plan.Product, usage.Windsurf), s.Snapshot.Source
	if source.Kind == usage.KindCache && s.Err != nil {
		return nil
	}
	for _, a := range slices.Backward(c.answers) { // of caches the last one is shown
		if a.product == of && a.variant == source.Variant && a.kind == source.Kind {
			return a.raw
		}
	}
	return nil
}

func (c *statusCommand) pace() pace.Options { return c.config.Pace(c.location) }

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

// recall is the Recall of the command, which keeps what it reads.
func (c *statusCommand) recall() poll.Recall {
	if c.Recall == nil {
		return nil
	}
	return func(ctx context.Context, ask poll.Ask) iter.Seq2[poll.Cached, error] {
		return func(yield func(poll.Cached, error) bool) {
			c.Recall(ctx, ask)(func(cached poll.Cached, err error) bool {
				c.answers = append(c.answers, answer{cmp.Or(cached.Product, usage.Windsurf), cached.Variant, usage.KindCache, cached.Raw})
				return yield(cached, err)
			})
		}
	}
}
