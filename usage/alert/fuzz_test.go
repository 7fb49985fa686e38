package alert

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/words"
)

func FuzzRead(f *testing.F) {
	w := newWorld(f)
	w.play(eventful)
	f.Add(w.store.document)
	first, err := os.ReadFile("testdata/first_edition.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(first)
	state, _ := w.answer(strings.Fields("daily=0 weekly=3 balance=-3 topup=3/9"))
	f.Fuzz(func(t *testing.T, document []byte) {
		if _, err := read(document); err != nil {
			return
		}
		watch := &Watch{Store: &fakeStore{document: document}, Salt: []byte("salt"), Config: DefaultConfig()}
		a := watch.See(t.Context(), poll.Plans{state})
		if a != nil {
			watch.Told(t.Context(), *a)
		}
		if again := watch.Again(t.Context()); again != nil {
			t.Errorf("%s comes again", again.Title(words.Words{}))
		}
		watch.SetMute(t.Context(), state.Snapshot.Plan, usage.DailyQuota, true)
		roundTrip(t, watch.plans)
	})
}

func roundTrip(t *testing.T, plans []*plan) {
	t.Helper()
	text, err := write(plans)
	if err != nil {
		t.Fatal(err)
	}
	again, err := read(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if written, err := write(again); err != nil || !bytes.Equal(text, written) {
		t.Fatalf("%v: %s\nbecame %s", err, text, written)
	}
}

// life is a random sequence of answers of a plan with valid windows.
type life struct {
	*world

	bytes []byte
	// told are the keys of the alerts shown.
	told map[string]bool
}

func (l *life) next() int {
	if len(l.bytes) == 0 {
		return 0
	}
	b := l.bytes[0]
	l.bytes = l.bytes[1:]
	return int(b)
}

// key identifies an alert of a quota, with the true window of the quota; "" for others,
// which may come again in their window.
func (l *life) key(a Alert) string {
	m := a.meter()
	if m.Unit != usage.UnitPercent || m.Window.End.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s of %s until %s: %d", a.Kind, m.ID, m.Window.End.Round(12*time.Hour).Format(time.DateTime), a.Step)
}

var jitters = []string{"", "", "", "~7s", "~-7s", "~3h", "~-3h"}

func (l *life) words() []string {
	var words []string
	jitter := jitters[l.next()%len(jitters)]
	switch l.next() % 8 {
	case 0:
		return []string{"fail"}
	case 1:
		words = append(words, "stale", "daily=0")
	case 2, 3:
		flex := 100 * (1 + l.next()%3)
		words = append(words, fmt.Sprintf("prompt=%d/500:%s", l.next()%501, l.verdict()), fmt.Sprintf("flex=%d/%d", min(l.next(), flex), flex))
	case 4:
		words = append(words, fmt.Sprintf("acu=%d/10:%s", l.next()%11, l.verdict()))
	case 5:
		words = append(words, "daily=?", "weekly=@over")
	default:
		words = append(words,
			fmt.Sprintf("daily=%d%s:%s", max(0, l.next()%120-19), jitter, l.verdict()),
			fmt.Sprintf("weekly=%d%s:%s", max(0, l.next()%120-19), jitter, l.verdict()))
	}
	if l.next()%2 == 0 {
		words = append(words, fmt.Sprintf("balance=%d", l.next()%20-5))
	}
	if l.next()%4 == 0 {
		words = append(words, fmt.Sprintf("topup=%d/99", l.next()%4))
	}
	if l.next()%8 == 0 {
		words = append(words, "account=b")
	}
	return words
}

func (l *life) verdict() string {
	return []string{"", "on_course", "runs_out", "runs_out_between", "too_early"}[l.next()%5]
}

func (l *life) check(t *testing.T, a *Alert, refused bool) {
	t.Helper()
	plain := words.Words{}
	title, body := a.Title(plain), a.Body(plain)
	for _, text := range []string{title, body} {
		if strings.Contains(text, "  ") || strings.TrimSpace(text) != text || strings.Contains(text, "example") {
			t.Errorf("%q: %q", title, text)
		}
	}
	if title == "" || a.rank() < 0 {
		t.Errorf("%q, rank %d", title, a.rank())
	}
	for _, o := range a.also {
		if o.rank() < a.rank() {
			t.Errorf("%s comes before the graver %s", title, o.Title(plain))
		}
	}
	if refused {
		return
	}
	for _, a := range append([]Alert{*a}, a.also...) {
		key := a.Plan().Key(nil) + l.key(a)
		if l.key(a) != "" && l.told[key] {
			t.Errorf("told twice: %s", key)
		}
		l.told[key] = true
	}
}

func FuzzLives(f *testing.F) {
	f.Add([]byte("the quick brown fox jumps over the lazy dog"))
	f.Add(bytes.Repeat([]byte{0, 6, 3, 9, 20, 2, 1, 1, 1, 7, 5, 3, 130, 255}, 40))
	f.Add([]byte(strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz", 12)))
	f.Fuzz(live)
}

func TestLives(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(4, 2026))
	for range 50 {
		data := make([]byte, 500)
		for i := range data {
			data[i] = byte(chance.IntN(256))
		}
		live(t, data)
	}
}

// live plays a life, and checks its alerts.
func live(t *testing.T, data []byte) {
	t.Helper()
	l := &life{world: newWorld(t), bytes: data[:min(len(data), 2000)], told: map[string]bool{}}
	for len(l.bytes) > 0 {
		l.now = l.now.Add(time.Duration(1+l.next()%64) * 10 * time.Minute)
		switch l.next() % 16 {
		case 0:
			l.restart(l.watch.Config)
		case 1:
			l.store.broken = true
		case 2: // the clock was set back
			l.now = l.now.Add(-61 * time.Minute)
		}
		state, _ := l.answer(l.words())
		refused := l.next()%4 == 0
		a := l.watch.See(t.Context(), poll.Plans{state})
		if a != nil {
			l.check(t, a, refused)
		}
		if a != nil && !refused {
			l.watch.Told(t.Context(), *a)
			if more := l.watch.Again(t.Context()); more != nil {
				t.Errorf("after %s comes %s", a.Title(words.Words{}), more.Title(words.Words{}))
			}
		}
		if l.store.broken { // a restart would forget, and may tell again
			l.store.broken = false
			l.watch.save(t.Context())
		}
		if !refused && state.Err == nil && fresh(state.Snapshot) {
			l.checkAllTold(t, state.Snapshot)
		}
		roundTrip(t, l.watch.plans)
	}
}

// checkAllTold finds used-up meters without an alert.
func (l *life) checkAllTold(t *testing.T, s usage.Snapshot) {
	t.Helper()
	for _, m := range s.Meters {
		if m.State != usage.StateExhausted || m.ID == usage.FlexCredits && !drawsOnFlex(s) {
			continue
		}
		if one, _ := l.watch.of(s.Plan); one.Records[m.ID].Told != 100 {
			t.Errorf("nobody was told that %s is used up", m.ID)
		}
	}
}
