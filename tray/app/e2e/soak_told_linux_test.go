package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/product"
	"windsock/usage/status"
	"windsock/usage/words"
)

// A shownMeter is a meter of `status --json` as far as it has figures.
type shownMeter struct {
	ID        string      `json:"id"`
	Used      json.Number `json:"used"`
	Total     json.Number `json:"total"`
	Remaining json.Number `json:"remaining"`
}

// hasFigure reports whether the meter's state has any.
func (m shownMeter) hasFigure() bool { return m.Used != "" || m.Remaining != "" }

// A shownPlan is a plan of `status --json` and of the local API.
type shownPlan struct {
	Product, Account string
	Source           struct {
		Kind, Variant string
		FetchedAt     time.Time `json:"fetched_at"`
		Stale         bool
	}
	Meters []shownMeter
}

type shownReport struct {
	At    time.Time
	Plans []shownPlan
}

// A toldAnswer is what one answer of a server means, each meter in all its forms.
type toldAnswer struct {
	at     time.Time
	meters []shownMeter
	// lines are those of the menu without a bar, shares what is left in per cent.
	lines  []string
	shares map[string]float64
}

// toldFigures are all figures that simulated servers have told. Whoever tells them is named
// by what status calls a source's variant: each has an account of its own.
type toldFigures struct {
	mu  sync.Mutex // guards all
	all map[string][]toldAnswer
}

// the products of those who tell figures.
var tellers = map[string]usage.Product{
	"windsurf": usage.Windsurf, "windsurf-next": usage.Windsurf, "devin-cli": usage.Windsurf,
	"antigravity": usage.Antigravity, "cursor": usage.Cursor,
}

// add notes an answer. One without figures is none.
func (f *toldFigures) add(t *testing.T, who string, at time.Time, raw []byte) {
	t.Helper()
	snapshot, err := product.Decode(tellers[who], raw, usage.Source{Kind: usage.KindLanguageServer, FetchedAt: at})
	if err != nil {
		return
	}
	snapshot = snapshot.At(at)
	answer := toldAnswer{at: at, shares: map[string]float64{}}
	document, err := json.Marshal(status.PlansDocument(poll.Plans{{Snapshot: snapshot, At: at, Lead: true}}))
	if err != nil {
		t.Error(err)
		return
	}
	var report shownReport
	if err := json.Unmarshal(document, &report); err != nil {
		t.Error(err)
		return
	}
	answer.meters = report.Plans[0].Meters
	for _, line := range (words.Words{}).Lines(snapshot) {
		text, _, _ := strings.Cut(line.Text, " · ")
		answer.lines = append(answer.lines, line.Label+": "+text)
	}
	for _, m := range snapshot.Meters {
		if share, ok := m.RemainingPercent().Float(); ok {
			answer.shares[string(m.ID)] = share
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all[who] = append(f.all[who], answer)
}

// said reports whether one told an answer in a time of which is is true.
func (f *toldFigures) said(who string, from, to time.Time, is func(toldAnswer) bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, answer := range slices.Backward(f.all[who]) {
		if answer.at.Before(from.Add(-time.Minute)) { // those of two servers may be a little out of order
			return false
		}
		if !answer.at.Before(from) && !answer.at.After(to) && is(answer) {
			return true
		}
	}
	return false
}

// count is how many answers there were.
func (f *toldFigures) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, all := range f.all {
		n += len(all)
	}
	return n
}

// cursorTold joins the answers of Cursor's methods as its client does.
func (w *soak) cursorTold(t *testing.T, method string, answer []byte) {
	t.Helper()
	w.mu.Lock()
	if json.Valid(answer) && !bytes.Contains(answer, []byte(`"code"`)) {
		w.cursor[method] = slices.Clone(answer)
	}
	joined, err := json.Marshal(w.cursor)
	w.mu.Unlock()
	if err != nil {
		t.Error(err)
		return
	}
	w.told.add(t, "cursor", time.Now(), joined)
}

// serviceTold is called by the services.
func (w *soak) serviceTold(t *testing.T, token, method string, answer []byte) {
	t.Helper()
	if token == devinToken {
		w.told.add(t, "devin-cli", time.Now(), answer)
	} else {
		w.cursorTold(t, method, answer)
	}
}

// hear takes what the editors' servers have told since the last time.
func (w *soak) hear(t *testing.T) {
	t.Helper()
	w.hearing.Lock() // until what one has taken is known to all
	defer w.hearing.Unlock()
	w.mu.Lock()
	servers := slices.Clone(w.servers)
	w.mu.Unlock()
	for _, s := range servers {
		for _, told := range s.Told() {
			w.told.add(t, s.who, told.At, told.Answer)
		}
	}
}

// around is what one told shortly before a time and after it.
func (f *toldFigures) around(who string, at time.Time) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var text []string
	for _, answer := range f.all[who] {
		if answer.at.Sub(at).Abs() < underWay {
			text = append(text, fmt.Sprintf("%s: %v", answer.at.UTC().Format("15:04:05.000"), answer.meters))
		}
	}
	return fmt.Sprintf("%d others: %s", len(text), strings.Join(text[max(0, len(text)-12):], "; "))
}
