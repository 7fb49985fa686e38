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
		list = append(list, meterLine(state, l))
	}
	for _, sentence := range words.Sentences(state.Snapshot) {
		note(sentence)
	}
	return list
}

func meterLine(state poll.State, l words.Line) line {
	made := line{Meter: l.Meter, Text: l.Label + ": " + l.Text, Level: levels[l.Tone], Under: below(l)}
	if m, _ := state.Snapshot.Meter(l.Meter); m.State == usage.StateExhausted {
		made.Left = new(float64)
	} else {
		made.Left = number(m.RemainingPercent())
	}
	if made.Level == "" {
		made.Level = "plain"
	}
	return made
}

// below is all text below a figure, in one line.
func below(l words.Line) string {
	if all := l.Below(1 << 20); len(all) > 0 {
		return all[0]
	}
	return ""
}

// plan is one plan of the page.
type plan struct {
	Name string `json:"name"`
	// Heading names the plan for people; "" for the only one.
	Heading string `json:"heading"`
	// Short is the line to show where there is room for one.
	Short line   `json:"short"`
	Lines []line `json:"lines"`
	Lead  bool   `json:"lead"`
}

// plansOf are all plans, the leading one first.
func plansOf(all poll.Plans, text words.Words) []plan {
	headings := all.Headings()
	list := []plan{}
	for i, state := range all {
		made := plan{Name: state.Name, Lines: lines(state, text), Lead: state.Lead}
		made.Short = line{Text: "No figures", Level: "note"}
		if leading, ok := text.Leading(state.Snapshot); ok && state.HasFigures() {
			made.Short = meterLine(state, leading)
		} else if len(made.Lines) > 0 {
			made.Short = made.Lines[0]
		}
		if len(all) > 1 {
			made.Heading = headings[i]
		}
		if state.Lead {
			list = append([]plan{made}, list...)
		} else {
			list = append(list, made)
		}
	}
	return list
}

// usageEvent is live while Windsurf answers: prompts go there.
func (s *served) usageEvent(all poll.Plans) usageEvent {
	live := false
	for _, state := range all.Of(string(usage.Windsurf)) {
		// A cache's figures have no such time.
		live = live || state.Err == nil && !state.Snapshot.Source.FetchedAt.IsZero()
	}
	text := s.config.Words()
	return usageEvent{plansOf(all, text), live, text.TwelveHour}
}

// plans are what is currently known of all plans.
func (s *served) plans() poll.Plans {
	plans, cancel := s.config.Plan.Subscribe()
	defer cancel()
	return <-plans
}

// hello is the page's first request.
func (s *served) hello(w http.ResponseWriter, _ *http.Request) {
	plans := s.plans()
	s.mu.Lock()
	view, handed := s.view, s.handed
	s.mu.Unlock()
	words := s.config.Words()
	write(w, http.StatusOK, struct {
		Version string `json:"version"`
		Demo    bool   `json:"demo"`
		View    View   `json:"view"`
		Plans   []plan `json:"plans"`
		// TwelveHour also applies to the times that the page writes.
		TwelveHour bool `json:"twelve_hour"`
		// State is the unchanged state that a previous page has handed over.
		State json.RawMessage `json:"state,omitempty"`
	}{s.config.Version, s.config.Demo, view, plansOf(plans, words), words.TwelveHour, handed})
}
