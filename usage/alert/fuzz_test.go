package alert

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windsock/usage"
)

func FuzzParse(f *testing.F) {
	w := newWorld(f)
	w.play(eventful)
	f.Add(w.store.document)
	f.Add([]byte(firstVersion))
	f.Add([]byte(`{"version":1,"accounts":[{"account":"x","meters":{"daily_quota":[{"pools":[{"total":1,"told":-3}]}]}}]}`))
	state, _ := w.answer(strings.Fields("daily=0 weekly=3 balance=-3 topup=3/9"))
	hash := state.Snapshot.Account.Hash([]byte("salt"))
	f.Fuzz(func(t *testing.T, document []byte) {
		s, err := parse(document)
		if err != nil {
			return
		}
		again := roundTrip(t, s)
		if diff := cmp.Diff(s, again, stateDiffs, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-read +read again):\n%s", diff)
		}
		for _, account := range []string{hash, "", "x"} {
			next, a := Next(s, account, state.Snapshot, DefaultConfig())
			if a == nil {
				continue
			}
			told := next.Told(*a)
			if _, again := Next(told, account, state.Snapshot, DefaultConfig()); again != nil {
				t.Errorf("%s is told, and then %s", a.Title(usage.Words{}), again.Title(usage.Words{}))
			}
			roundTrip(t, told.SetMute(account, state.Snapshot, usage.DailyQuota, true))
		}
	})
}

func roundTrip(t *testing.T, s State) State {
	t.Helper()
	text, err := s.document()
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > maxDocument {
		t.Fatalf("a document of %d bytes", len(text))
	}
	again, err := parse(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if written, err := again.document(); err != nil || !bytes.Equal(text, written) {
		t.Fatalf("%v: %s\nbecame %s", err, text, written)
	}
	return again
}

// life is a random sequence of answers of a plan whose windows are real ones.
type life struct {
	*world

	bytes []byte
	// told are the keys of what was told, and in the case of a pool or a
	// balance that has grown the size of it.
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

// key is what makes an alert the same one, with the window that it is in
// in truth.
func (l *life) key(m mark) string {
	if m.kind == KindTopUp || m.kind == KindInDebt {
		return "" // they have their own rules
	}
	window := ""
	if !m.window.End.IsZero() {
		window = m.window.End.Round(12 * time.Hour).Format(time.DateTime)
	}
	return fmt.Sprintf("%s %s of %s until %s: %d of %d, %d", m.account, m.kind, m.meter, window, m.told, m.total, m.amount)
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
	words := usage.Words{}
	title, body := a.Title(words), a.Body(words)
	for _, text := range []string{title, body} {
		if strings.Contains(text, "  ") || strings.TrimSpace(text) != text || strings.Contains(text, "example") {
			t.Errorf("%q: %q", title, text)
		}
	}
	if title == "" || len(a.marks) == 0 || a.rank() < 0 {
		t.Errorf("%q, rank %d, %d marks", title, a.rank(), len(a.marks))
	}
	for _, o := range a.also {
		if o.rank() < a.rank() {
			t.Errorf("%s comes before the graver %s", title, o.Title(words))
		}
	}
	if refused {
		return
	}
	for _, m := range a.marks {
		key := l.key(m)
		if key != "" && l.told[key] {
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

// live plays a life, and checks what is told in it.
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
		a := l.watch.See(t.Context(), state)
		if a != nil {
			l.check(t, a, refused)
		}
		if a != nil && !refused {
			l.watch.Told(t.Context(), *a)
			if _, more := Next(l.watch.state, l.watch.account, state.Snapshot, l.watch.Config); more != nil {
				t.Errorf("after %s comes %s", a.Title(usage.Words{}), more.Title(usage.Words{}))
			}
		}
		if l.store.broken { // a restart would forget, and may tell again
			l.store.broken = false
			l.watch.keep(t.Context(), l.watch.state)
		}
		if !refused && state.Err == nil && fresh(state.Snapshot) {
			l.checkAllTold(t, state.Snapshot)
		}
		roundTrip(t, l.watch.state)
	}
}

// checkAllTold finds what is used up and was not told.
func (l *life) checkAllTold(t *testing.T, s usage.Snapshot) {
	t.Helper()
	_, a := l.watch.state.with(l.watch.account)
	for _, m := range s.Meters {
		if m.State != usage.StateExhausted || m.ID == usage.FlexCredits && !drawsOnFlex(s) {
			continue
		}
		if p := a.period(m, l.now); len(p.Pools) == 0 || p.Pools[0].Told != 100 {
			t.Errorf("nobody was told that %s is used up", m.ID)
		}
	}
}
