package words

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"windsock/usage"
)

// Line is one meter in words. The word "left", "used" or "owed" stands beside every
// number.
type Line struct {
	Meter usage.MeterID
	Label string
	// Bar shows the remaining share in ten cells; "" when unknown.
	Bar string
	// Text is the figure. The others may be "": Pace says whether it lasts, Under is
	// its reset, Budget is the use per day that would last.
	Text, Pace, Under, Budget string
	// Glyph is Pace in one letter.
	Glyph string
	Tone  Tone
	// PaceTone is how grave Pace is; the figure itself may be fine.
	PaceTone Tone
}

// Below are the parts below the figure, in as few lines of at most that many columns as
// possible. A wider part has a line of its own.
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

// Verdict is Pace in short, with its Glyph; "" if it is unknown. It keeps the odds of
// running out, since without them that would be certain.
func (l Line) Verdict() string {
	if l.Pace == "" {
		return ""
	}
	short, _, _ := strings.Cut(l.Pace, between)
	short, _, _ = strings.Cut(short, ": ")
	if l.Glyph != Glyph(usage.VerdictRunsOut) {
		short, _, _ = strings.Cut(short, ", ")
	}
	return l.Glyph + " " + short
}

// between separates parts on one line.
const between = " · "

// Tone is how grave a line is. It follows the default thresholds of alerts.
type Tone int

// The tones. They carry no information that the words lack.
const (
	TonePlain Tone = iota
	ToneFine       // for a bar beside a plain text
	ToneLow
	ToneCritical
	ToneFaint
)

// Heading names the editor, else the product, and the plan.
func Heading(s usage.Snapshot) string {
	app := usage.CleanName(s.Source.App)
	if app == "" {
		app = map[usage.SourceKind]string{usage.KindFile: "Saved answer", usage.KindCache: "Editor's cache"}[s.Source.Kind]
	}
	if app == "" {
		app = s.Plan.Product.Name()
	}
	if s.PlanName == "" {
		return app
	}
	return app + " · " + s.PlanName
}

// Lines are the meters with a limit of a snapshot that was judged with
// [usage.Snapshot.At].
func (w Words) Lines(s usage.Snapshot) []Line {
	var lines []Line
	for _, m := range s.Meters {
		if m.State != usage.StateUnlimited {
			lines = append(lines, w.Line(s, m))
		}
	}
	return lines
}

// Sentences are the problems, and the notices that no line includes.
func (w Words) Sentences(s usage.Snapshot) []string {
	var sentences []string
	for _, n := range s.Notices {
		if n.Code != usage.NoticeOnExtraUsage && n.Code != usage.NoticeInDebt {
			sentences = append(sentences, w.Notice(n))
		}
	}
	for _, p := range s.Problems {
		sentences = append(sentences, p.Message)
	}
	return sentences
}

// Line is a meter of a judged snapshot.
func (w Words) Line(s usage.Snapshot, m usage.Meter) Line {
	l := Line{Meter: m.ID, Label: m.Label(), Pace: w.pace(m, s.Judged), Budget: w.budget(m)}
	switch {
	case l.Pace == "":
	case m.State == usage.StateNotStarted:
		l.Glyph, l.PaceTone = Glyph(usage.VerdictUnused), ToneFaint
	default:
		l.Glyph, l.PaceTone = Glyph(m.Pace.Verdict), verdictTone(m.Pace.Verdict)
	}
	switch m.State {
	case usage.StateRolledOver:
		l.Text = "The window has been reset; the new figure is not known yet"
	case usage.StateUnreadable:
		l.Text, l.Under = "The figure could not be read", w.reset(m, s.Judged)
	case usage.StateExhausted:
		l.Bar, l.Tone = bars(m), ToneCritical
		l.Text, l.Under = w.usedUp(s, m)
	case usage.StateNotStarted:
		l.Bar, l.Tone, l.Text = bars(m), ToneOf(m), left(m)
	default:
		if m.Total.Known() {
			l.Bar = bars(m)
		}
		l.Tone, l.Text, l.Under = ToneOf(m), left(m), w.reset(m, s.Judged)
		switch {
		case m.Pace == nil:
		case m.Pace.Verdict == usage.VerdictRunsOut:
			l.Tone = max(l.Tone, ToneLow)
		case m.Pace.Verdict == usage.VerdictUsedUp:
			l.Under = "" // Pace has it
		}
	}
	return l
}

// ToneOf is how grave a meter's figure is.
func ToneOf(m usage.Meter) Tone {
	share := m.RemainingPercent()
	switch {
	case m.ID == usage.ExtraUsage && m.Remaining.Negative():
		return ToneCritical
	case !share.Known() || share.Millionths() > 20*usage.One:
		return TonePlain
	case share.Millionths() > 5*usage.One:
		return ToneLow
	default:
		return ToneCritical
	}
}

func left(m usage.Meter) string {
	switch {
	case m.ID.IsMoney():
		return Money(m)
	case m.Unit == usage.UnitUSD:
		return Of(m.Remaining, m.Total, m.Unit) + " left (" + Percent(m) + ")"
	case m.Unit == usage.UnitPercent:
		return Percent(m) + " left"
	case !m.Total.Known():
		return InUnit(m.Used, m.Unit) + " used" // not credits: their meters have a total
	default:
		return Figure(m.Remaining) + " of " + Figure(m.Total) + " left (" + Percent(m) + ")"
	}
}

func (w Words) usedUp(s usage.Snapshot, m usage.Meter) (text, under string) {
	back := ""
	if !m.Window.End.IsZero() {
		back = "back " + w.Moment(m.Window.End, s.Judged)
	}
	if money, pays := s.Payer(); pays && m.GivesWay() {
		return "Used up, " + map[usage.MeterID]string{usage.ExtraUsage: "on extra usage: ", usage.OnDemand: "on demand: "}[money.ID] + Money(money), back
	}
	if back == "" {
		return "Used up", ""
	}
	return "Used up · " + back, ""
}

// Back says when the last used-up meter comes back, as a sentence without a period; ""
// when no meter is used up, or none comes back.
func (w Words) Back(s usage.Snapshot) string {
	last := s.Back()
	if !last.After(s.Judged) {
		return ""
	}
	return "There is more on " + w.Moment(last, s.Judged)
}

func (w Words) reset(m usage.Meter, now time.Time) string {
	return w.Coming("resets", m.Window.End, now)
}

// Coming says when something will happen, such as "resets in 3h 25m (Tue 18:00)"; ""
// when it is over or unknown.
func (w Words) Coming(what string, t, now time.Time) string {
	if t.IsZero() || !t.After(now) {
		return ""
	}
	return what + " " + In(t.Sub(now)) + " (" + w.Moment(t, now) + ")"
}

// Leading is the line to show when there is room for one: the binding meter's, else the
// first. When the flex credits have run out after the prompt credits, it is the prompt
// credits' line, since they come back.
func (w Words) Leading(s usage.Snapshot) (Line, bool) {
	if meter, ok := s.Binding(); ok {
		prompt, both := s.Meter(usage.PromptCredits)
		if both && meter.ID == usage.FlexCredits && meter.State == usage.StateExhausted {
			meter = prompt
		}
		return w.Line(s, meter), true
	}
	lines := w.Lines(s)
	if len(lines) == 0 {
		return Line{}, false
	}
	return lines[0], true
}
