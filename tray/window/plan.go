package window

import (
	"encoding/json"
	"net/http"

	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// line is a line of the menu: a meter or a sentence.
type line struct {
	Meter usage.MeterID `json:"meter,omitempty"`
	Text  string        `json:"text"`
	// Under is the text below it; it may be empty.
	Under string `json:"under"`
	// Left is the share that is left in percent; null if there is none to show.
	Left *float64 `json:"left"`
	// Level is plain, low or critical for a meter, and note for a sentence.
	Level string `json:"level"`
}

var levels = map[words.Tone]string{words.ToneLow: "low", words.ToneCritical: "critical"}

// lines are the plan's figures, in the menu's words.
func lines(state poll.State, words words.Words) []line {
	list := []line{}
	note := func(sentence string) {
		if sentence != "" {
			list = append(list, line{Text: sentence, Level: "note"})
		}
	}
	note(state.Sentence(words))
	if state.HasFigures() && state.Snapshot.Billing == usage.BillingUnlimited {
		list = append(list, line{Text: "Unlimited", Level: "plain"})
	}
	for _, l := range words.Lines(state.Snapshot) {
		made := line{Meter: l.Meter, Text: l.Label + ": " + l.Text, Level: levels[l.Tone], Under: below(l)}
		if m, _ := state.Snapshot.Meter(l.Meter); m.State == usage.StateExhausted {
			made.Left = new(float64)
		} else {
			made.Left = number(m.RemainingPercent())
		}
		if made.Level == "" {
			made.Level = "plain"
		}
		list = append(list, made)
	}
	for _, sentence := range words.Sentences(state.Snapshot) {
		note(sentence)
	}
	return list
}

// below is all text below a figure, in one line.
func below(l words.Line) string {
	if all := l.Below(1 << 20); len(all) > 0 {
		return all[0]
	}
	return ""
}

func (s *served) usageEvent(state poll.State) usageEvent {
	live := state.Err == nil && !state.Snapshot.Source.FetchedAt.IsZero() // a cache's figures have no such time
	words := s.config.Words()
	return usageEvent{lines(state, words), live, words.TwelveHour}
}

// state is what is currently known about the plan.
func (s *served) state() poll.State {
	states, cancel := s.config.Plan.Subscribe()
	defer cancel()
	return (<-states).Lead()
}

// hello is the page's first request.
func (s *served) hello(w http.ResponseWriter, _ *http.Request) {
	state := s.state()
	s.mu.Lock()
	view, handed := s.view, s.handed
	s.mu.Unlock()
	words := s.config.Words()
	write(w, http.StatusOK, struct {
		Version string `json:"version"`
		Demo    bool   `json:"demo"`
		View    View   `json:"view"`
		Lines   []line `json:"lines"`
		// TwelveHour also applies to the times that the page writes.
		TwelveHour bool `json:"twelve_hour"`
		// State is the unchanged state that a previous page has handed over.
		State json.RawMessage `json:"state,omitempty"`
	}{s.config.Version, s.config.Demo, view, lines(state, words), words.TwelveHour, handed})
}
