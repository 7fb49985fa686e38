package app

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http/httptrace"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe"
	"windsock/probe/say"
	"windsock/probe/system"
	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/status"
)

// newStatusCommand is `windsock status`.
func (p parts) newStatusCommand() *cobra.Command {
	store := p.history(quiet)
	var settings config
	config := status.Parts{
		Config: func() (status.Config, error) {
			var err error
			settings, err = p.config()
			return settings.Usage, err
		},
		Lead:      func() string { return settings.Tray.Plan },
		Offer:     func() bool { return len(settings.Cloud.Allow) == 0 && p.choices().Wanting() },
		ProductOf: productOf, Recall: p.recall, Record: store.Record, Salt: store.Salt, Runs: system.Runs,
		Now: p.serverNow, Speed: p.speed,
	}
	fetch := p.fetching(store.Salt)
	config.Fetch = func(ctx context.Context, wanted poll.Ask) []poll.Reading {
		// systray keeps the first goroutine on the first thread, for the menu of macOS.
		// Here each of its waits would cost two switches of threads.
		runtime.UnlockOSThread()
		// The history is opened while the server computes its answer, so that it costs
		// no time. A reused connection has no handshake; there, the request for the
		// plan gives that time.
		asked, answered := make(chan struct{}), make(chan struct{})
		ask := sync.OnceFunc(func() { close(asked) })
		var opening sync.WaitGroup // ends with the fetch
		defer opening.Wait()
		defer close(answered)
		opening.Go(func() {
			select {
			case <-asked:
				_, _ = store.Load(ctx, "") // Record returns the same error
			case <-answered:
			}
		})
		var reused atomic.Bool
		return fetch(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GotConn: func(c httptrace.GotConnInfo) {
				if c.Reused {
					reused.Store(true)
				}
			},
			WroteRequest: func(httptrace.WroteRequestInfo) {
				if reused.Load() {
					ask()
				}
			},
		}), wanted)
	}
	return closing(store, status.NewCommand(config))
}

// paceOptions are the person's options for a pace.
func (p parts) paceOptions() (pace.Options, error) {
	c, err := p.config()
	return c.Usage.Pace(local()), err
}

// closing is a command that closes the store at its end, and says if it has moved a history
// aside that could not be read.
func closing(store *history.Store, cmd *cobra.Command) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		defer func() {
			_ = store.Close() // what could not be written is lost either way
			if aside := store.Aside(); aside != "" {
				_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "windsock:", aside) // a closed stderr shows nothing
			}
		}()
		return run(cmd, args)
	}
	return cmd
}

// pollerConfig has the parts of a poller that keeps its figures in store.
func (p parts) pollerConfig(c config, store *history.Store) poll.Config {
	return poll.Config{
		Fetch: p.fetching(store.Salt), Recall: p.recall, Record: store.Record, Salt: store.Salt, Runs: system.Runs, Now: p.serverNow, Speed: p.speed,
		Settings: p.pollerSettings(c),
	}
}

func (p parts) pollerSettings(c config) poll.Settings {
	return poll.Settings{
		Interval: cmp.Or(p.interval, c.Usage.Interval), Variant: c.Usage.Variant, Cloud: c.Cloud.Allow,
		Lead: c.Tray.Plan, Pace: c.Usage.Pace(local()),
	}
}

// fetching asks the servers, and over the internet what the person has allowed. salt is
// that of the accounts.
func (p parts) fetching(salt func(context.Context) ([]byte, error)) poll.Fetch {
	return func(ctx context.Context, ask poll.Ask) []poll.Reading {
		return p.fetch(ctx, ask, p.overInternet(ask, salt))
	}
}

// fetchServers asks the servers alone.
func (p parts) fetchServers(ctx context.Context, ask poll.Ask) []poll.Reading {
	return p.fetch(ctx, ask, internet{})
}

// fetch passes probe's findings to the usage package.
func (p parts) fetch(ctx context.Context, ask poll.Ask, internet internet) []poll.Reading {
	variants, err := variantsOf(ask.Variant)
	if err != nil {
		return []poll.Reading{{Product: ask.Products[0], Err: err}}
	}
	variants = slices.DeleteFunc(variants, func(v probe.Variant) bool {
		return !slices.Contains(ask.Products, usage.Product(v.Product))
	})
	var cursor []poll.Reading
	var asking sync.WaitGroup // ends here
	if slices.Contains(ask.Products, usage.Cursor) {
		asking.Go(func() { cursor = internet.cursorReadings(ctx, ask.Named) })
	}
	answers := p.newFinder().Answers(ctx, variants)
	var readings []poll.Reading
	for _, product := range ask.Products {
		of := slices.DeleteFunc(slices.Clone(answers), func(a probe.Answer) bool { return a.Product != string(product) })
		some := readingsOf(product, of)
		switch {
		case product == usage.Cursor:
			asking.Wait()
			some = cursor
		case len(some) == 0 || some[0].Err == nil:
		case product == usage.Antigravity && len(some) == 1:
			some[0] = p.agyBeside(ctx, readings, some[0])
		case product == usage.Windsurf && !slices.ContainsFunc(some, hasAnswer):
			if asked := internet.without(of).readings(ctx, product); len(asked) > 0 {
				some = standIn(of, asked)
			}
		}
		readings = append(readings, some...)
	}
	return readings
}

func hasAnswer(r poll.Reading) bool { return r.Err == nil }

// agyTime is how long agy may take beside figures that are there already.
const agyTime = 20 * time.Second

// agyBeside is agyReading, which does not keep the figures of other products waiting.
func (p parts) agyBeside(ctx context.Context, others []poll.Reading, failed poll.Reading) poll.Reading {
	if slices.ContainsFunc(others, hasAnswer) {
		limited, cancel := context.WithTimeout(ctx, agyTime)
		defer cancel()
		ctx = limited
	}
	return p.agyReading(ctx, failed)
}

// readingsOf are the answers about one product. Without any, the failure to tell comes
// first, then those of another kind.
func readingsOf(product usage.Product, answers []probe.Answer) []poll.Reading {
	if !slices.ContainsFunc(answers, func(a probe.Answer) bool { return a.Failure == nil }) {
		failure := probe.Furthest(answers)
		if failure == nil {
			return nil
		}
		server := failure.Server()
		readings := []poll.Reading{{Product: product, Variant: server.Variant, App: server.App, PID: server.PID, Err: failure}}
		for _, a := range answers {
			if say.Code(a.Failure) != say.Code(failure) {
				readings = append(readings, poll.Reading{Product: product, Variant: a.Server.Variant, App: a.Server.App, PID: a.Server.PID, Err: a.Failure})
			}
		}
		return readings
	}
	readings := make([]poll.Reading, len(answers))
	for i, a := range answers {
		readings[i] = readingOf(product, a)
	}
	return readings
}

func readingOf(product usage.Product, a probe.Answer) poll.Reading {
	r := poll.Reading{Product: product, Raw: a.Raw, Variant: a.Server.Variant, App: a.Server.App, PID: a.Server.PID}
	if a.Failure != nil {
		r.Err = a.Failure
	}
	return r
}

// variantsOf are the editors of a name; "" stands for all.
func variantsOf(name string) ([]probe.Variant, error) {
	if name == "" {
		return probe.Variants(), nil
	}
	v, ok := probe.LookupVariant(name)
	if !ok {
		return nil, say.Usage("there is no variant %q; there are %s", name, probe.VariantIDs(probe.Variants()))
	}
	return []probe.Variant{v}, nil
}

// productOf is the product of an editor's short name.
func productOf(variant string) usage.Product {
	v, _ := probe.LookupVariant(variant)
	return usage.Product(v.Product)
}

// recall passes to the usage package what editors store for the time that they do not
// run.
func (p parts) recall(ctx context.Context, ask poll.Ask) iter.Seq2[poll.Cached, error] {
	return func(yield func(poll.Cached, error) bool) {
		variants, err := variantsOf(ask.Variant)
		if err != nil || !slices.Contains(ask.Products, usage.Windsurf) {
			return // the previous fetch has reported it
		}
		for c, err := range p.newFinder().Caches(ctx, variants) {
			reading := poll.Reading{Raw: c.Raw, Variant: c.Server.Variant, App: c.Server.App}
			if !yield(poll.Cached{Reading: reading, Name: c.Name}, err) {
				return
			}
		}
	}
}

// usageConfig returns the settings of the figures.
func (p parts) usageConfig() (status.Config, error) {
	c, err := p.config()
	return c.Usage, err
}
