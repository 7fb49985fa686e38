package poll

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/usagetest"
	"windsock/usage/windsurf"
)

func good(context.Context, int) (Reading, error) { return Reading{Raw: []byte(usagetest.Plenty)}, nil }

func dead(context.Context, int) (Reading, error) { return Reading{}, usagetest.ErrNotRunning }

// slow fails in a way that only time can fix.
func slow(context.Context, int) (Reading, error) { return Reading{}, codedError("timeout") }

// codedError is a failure with a code.
type codedError string

func (e codedError) Error() string { return "call server: " + string(e) }
func (e codedError) Tell() say.Error {
	return say.Error{Code: string(e), What: "Try again in a moment."}
}

// pollBench is a poller in a synctest bubble. Its wall clock starts at noon and can be
// set; its interval is five minutes, without jitter.
type pollBench struct {
	*Poller

	start  time.Time
	speed  float64
	ahead  atomic.Int64
	answer func(ctx context.Context, n int) (Reading, error)

	mu       sync.Mutex
	begun    []time.Duration
	variants []string
}

// newBench is a bench whose nth fetch, from 0, returns the result of answer.
func newBench(answer func(ctx context.Context, n int) (Reading, error)) *pollBench {
	return newFastBench(0, 0, answer)
}

// newFastBench is a bench with an interval and a wall clock with a speed; zeros mean
// what they mean in a Config.
func newFastBench(speed float64, interval time.Duration, answer func(ctx context.Context, n int) (Reading, error)) *pollBench {
	b := &pollBench{start: time.Now(), speed: max(speed, 1), answer: answer}
	b.Poller = New(Config{Products: []usage.Product{usage.Windsurf}, Settings: Settings{Interval: interval}, Fetch: b.fetchNext, Now: b.wall, Speed: speed})
	b.products[0].schedule.random = func() float64 { return 0.5 }
	return b
}

func (b *pollBench) fetchNext(ctx context.Context, ask Ask) []Reading {
	b.mu.Lock()
	n := len(b.begun)
	b.begun = append(b.begun, time.Since(b.start))
	b.variants = append(b.variants, ask.Variant)
	b.mu.Unlock()
	reading, err := b.answer(ctx, n)
	reading.Err = err
	return []Reading{reading}
}

func (b *pollBench) wall() time.Time {
	return usagetest.Noon.Add(time.Duration(float64(time.Since(b.start))*b.speed) + time.Duration(b.ahead.Load()))
}

// set sets the wall clock forward or back, as sleep does where the monotonic clock
// stands still.
func (b *pollBench) set(by time.Duration) { b.ahead.Add(int64(by)) }

// run starts the poller, and returns the function that ends it.
func (b *pollBench) run(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	synctest.Wait()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	}
}

// until sleeps to a time after the start.
func (b *pollBench) until(d time.Duration) {
	time.Sleep(d - time.Since(b.start))
	synctest.Wait()
}

// fetches compares the beginnings of the fetches, after the start.
func (b *pollBench) fetches(t *testing.T, want ...time.Duration) {
	t.Helper()
	b.mu.Lock()
	got := slices.Clone(b.begun)
	b.mu.Unlock()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fetches began (-want +got):\n%s", diff)
	}
}

// asked compares the fetched variants.
func (b *pollBench) asked(t *testing.T, want ...string) {
	t.Helper()
	b.mu.Lock()
	got := slices.Clone(b.variants)
	b.mu.Unlock()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("variants (-want +got):\n%s", diff)
	}
}

// now is the present state.
func (b *pollBench) now() State {
	states, cancel := b.Subscribe()
	defer cancel()
	return (<-states).Lead()
}

// compareStates compares a plan's states, but for what names it.
func compareStates(t *testing.T, want, got State) {
	t.Helper()
	if got.Name != "windsurf" || !got.Lead {
		t.Errorf("the only plan is %q, lead %v", got.Name, got.Lead)
	}
	want.Name, want.Hash, want.Lead = got.Name, got.Hash, got.Lead
	same := cmp.Options{cmpopts.IgnoreUnexported(usage.Snapshot{}), cmpopts.EquateErrors()}
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

// creditsAt is the snapshot of credits, fetched and judged at times after noon.
func creditsAt(t *testing.T, had, judged time.Duration) usage.Snapshot {
	t.Helper()
	s := decoded(t, usagetest.Plenty)
	s.Source.FetchedAt = usagetest.Noon.Add(had)
	return s.At(usagetest.Noon.Add(judged))
}

// decoded is the snapshot of a status' fields at noon.
func decoded(t *testing.T, raw string) usage.Snapshot {
	t.Helper()
	s, err := windsurf.Decode([]byte(raw), usage.Source{Kind: usage.KindLanguageServer})
	if err != nil {
		t.Fatalf("decode %s: %v", raw, err)
	}
	return s.At(usagetest.Noon)
}
