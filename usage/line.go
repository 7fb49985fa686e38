package usage

import (
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Line is one meter in words. The word "left", "used" or "owed" stands beside
// every number.
type Line struct {
	Meter MeterID
	Label string
	// Bar shows the share that is left in ten cells; "" where there is none to
	// show.
	Bar string
	// Text is the figure. The others may be "": Pace says whether it lasts, Under
	// is about its reset, Budget what it takes to last.
	Text, Pace, Under, Budget string
	// Glyph tells what Pace says in one letter.
	Glyph string
	Tone  Tone
	// PaceTone is how grave Pace is, beside a figure that may be fine.
	PaceTone Tone
}

// Below is what stands below the figure, in as few lines of at most so many
// columns as the parts make. A part that is wider has a line of its own.
func (l Line) Below(columns int) []string {
	pace := l.Pace
	if pace != "" {
		pace = l.Glyph + " " + pace
	}
	var lines []string
	for _, part := range []string{pace, l.Under, l.Budget} {
		last := len(lines) - 1
		switch {
		case part == "":
		case last >= 0 && ansi.StringWidth(lines[last]+between+part) <= columns:
			lines[last] += between + part
		default:
			lines = append(lines, part)
		}
	}
	return lines
}

// between stands between things on one line.
const between = " · "

// Tone is how grave a line is. It follows the thresholds that warnings have by
// default.
type Tone int

// The tones. What they say stands in words as well.
const (
	TonePlain Tone = iota
	toneFine       // of a bar, beside a text that is plain
	ToneLow
	ToneCritical
	toneFaint
)

// Heading names the editor and the plan.
func (s Snapshot) Heading() string {
	app := cleanName(s.Source.App)
	if app == "" {
		app = map[SourceKind]string{KindFile: "Saved answer", KindCache: "Editor's cache"}[s.Source.Kind]
	}
	if app == "" {
		app = "Windsurf"
	}
	if s.Plan == "" {
		return app
	}
	return app + " · " + s.Plan
}

// Lines are the meters of a snapshot that was judged with [Snapshot.At]. A
// meter without a limit has none: it has nothing to say beside those that
// count.
func (w Words) Lines(s Snapshot) []Line {
	var lines []Line
	for _, m := range s.Meters {
		if m.State != StateUnlimited {
			lines = append(lines, w.Line(s, m))
		}
	}
	return lines
}

// Sentences are the notices that no line says already, and the problems.
func (w Words) Sentences(s Snapshot) []string {
	var sentences []string
	for _, n := range s.Notices {
		if n.Code != NoticeOnExtraUsage && n.Code != NoticeInDebt {
			sentences = append(sentences, n.Sentence(w))
		}
	}
	for _, p := range s.Problems {
		sentences = append(sentences, p.Message)
	}
	return sentences
}

var labels = map[MeterID]string{
	PromptCredits: "Prompt credits",
	FlexCredits:   "Flex credits",
	FlowCredits:   "Flow credits",
	DailyQuota:    "Daily quota",
	WeeklyQuota:   "Weekly quota",
	ACU:           "ACUs",
	ExtraUsage:    "Extra usage",
}

// Line is a meter of a snapshot that was judged.
func (w Words) Line(s Snapshot, m Meter) Line {
	l := Line{Meter: m.ID, Label: labels[m.ID], Pace: w.pace(m, s.Judged), Budget: w.budget(m)}
	if l.Pace != "" {
		l.Glyph, l.PaceTone = m.Pace.Verdict.Glyph(), m.Pace.Verdict.tone()
	}
	switch m.State {
	case StateRolledOver:
		l.Text = "The window has been reset; the new figure is not known yet"
	case StateUnreadable:
		l.Text, l.Under = "The figure could not be read", w.reset(m, s.Judged)
	case StateExhausted:
		l.Bar, l.Tone = m.bar(), ToneCritical
		l.Text, l.Under = w.usedUp(s, m)
	default:
		if m.Total.known {
			l.Bar = m.bar()
		}
		l.Tone, l.Text, l.Under = m.tone(), m.left(), w.reset(m, s.Judged)
		switch {
		case m.Pace == nil:
		case m.Pace.Verdict == VerdictRunsOut:
			l.Tone = max(l.Tone, ToneLow)
		case m.Pace.Verdict == VerdictUsedUp:
			l.Under = "" // Pace has it
		}
	}
	return l
}

func (m Meter) tone() Tone {
	share := m.RemainingPercent()
	switch {
	case m.ID == ExtraUsage && m.Remaining.negative():
		return ToneCritical
	case !share.known || share.micros > 20*one:
		return TonePlain
	case share.micros > 5*one:
		return ToneLow
	default:
		return ToneCritical
	}
}

func (m Meter) left() string {
	switch {
	case m.Unit == UnitUSD:
		return Balance(m.Remaining)
	case m.Unit == UnitPercent:
		return m.Percent() + " left"
	case !m.Total.known:
		return Figure(m.Used) + " ACUs used" // of credits, there is no meter without a total
	default:
		return Figure(m.Remaining) + " of " + Figure(m.Total) + " left (" + m.Percent() + ")"
	}
}

func (w Words) usedUp(s Snapshot, m Meter) (text, under string) {
	back := ""
	if !m.Window.End.IsZero() {
		back = "back " + w.Moment(m.Window.End, s.Judged)
	}
	if balance := extraUsage(s.Meters); m.Unit == UnitPercent && balance.positive() {
		return "Used up, on extra usage: " + Balance(balance), back
	}
	if back == "" {
		return "Used up", ""
	}
	return "Used up · " + back, ""
}

// Back says when the last of what is used up comes back, as a sentence without a
// stop; "" where nothing is used up, or nothing of it comes back.
func (w Words) Back(s Snapshot) string {
	last := s.Back()
	if !last.After(s.Judged) {
		return ""
	}
	return "There is more on " + w.Moment(last, s.Judged)
}

func (w Words) reset(m Meter, now time.Time) string {
	end := m.Window.End
	if end.IsZero() || !end.After(now) {
		return ""
	}
	return "resets " + In(end.Sub(now)) + " (" + w.Moment(end, now) + ")"
}
