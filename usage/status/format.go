package status

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"windsock/probe/terminal"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// Format is an output format of `windsock status`.
type Format string

// The formats. All but the first are for other programs.
const (
	FormatText       Format = "text"
	FormatJSON       Format = "json"
	FormatWaybar     Format = "waybar"
	FormatXbar       Format = "xbar"
	FormatTmux       Format = "tmux"
	FormatPrometheus Format = "prometheus"
)

// formats lists all formats, in the order of the help.
var formats = []Format{FormatText, FormatJSON, FormatWaybar, FormatXbar, FormatTmux, FormatPrometheus}

// follows reports whether --watch can write the format: it replaces its earlier output,
// or each line is complete.
func (f Format) follows() bool { return f == FormatText || f == FormatJSON || f == FormatWaybar }

// write returns all plans as a bar, a menu or a collector reads them, with a line break
// at the end. It includes the errors: those programs show nothing else. Where there is
// room for one plan it is the leading one.
func (f Format) write(all poll.Plans, w words.Words, colour bool) string {
	switch f {
	case FormatWaybar:
		return writeWaybar(all, w)
	case FormatXbar:
		return writeXbar(all, w)
	case FormatTmux:
		return writeTmux(all, w, colour)
	case FormatPrometheus:
		return writePrometheus(all)
	default:
		return ""
	}
}

// The words for the state of a plan. They are classes of a bar's style sheet and keys
// of its icons, and so as stable as the JSON.
const (
	standsOK        = "ok"
	standsLow       = "low"
	standsCritical  = "critical"
	standsExhausted = "exhausted"
	standsUnlimited = "unlimited"
	standsUnknown   = "unknown"
	standsError     = "error"
)

// glance is the plan in short.
type glance struct {
	// word is one of the words above.
	word string
	// meter is the binding one, if bound.
	meter usage.Meter
	bound bool
	// line is the result of Leading, if any.
	line words.Line
	tone words.Tone
}

func glanceAt(w words.Words, s poll.State) glance {
	g := glance{word: standsUnknown}
	if !s.HasFigures() {
		if s.Err != nil {
			g.word = standsError
		}
		return g
	}
	g.line, _ = w.Leading(s.Snapshot)
	g.meter, g.bound = s.Snapshot.Binding()
	switch {
	case g.bound:
		g.tone = w.Line(s.Snapshot, g.meter).Tone
		g.word = standing(g.meter)
	case s.Snapshot.Billing == usage.BillingUnlimited:
		g.word = standsUnlimited
	case s.Snapshot.Untouched():
		g.word = standsOK
	}
	return g
}

// standing is the word for a meter by its figure, not by its pace.
func standing(m usage.Meter) string {
	if m.State == usage.StateExhausted {
		return standsExhausted
	}
	switch words.ToneOf(m) {
	case words.ToneCritical:
		return standsCritical
	case words.ToneLow:
		return standsLow
	default:
		return standsOK
	}
}

// warns reports whether the binding meter has something left that may not last.
func (g glance) warns() bool {
	p := g.meter.Pace
	return g.bound && p != nil && (p.Verdict == usage.VerdictTight || p.Verdict == usage.VerdictRunsOut)
}

// short is the text for a bar. A number in it is what is left unless the text says
// otherwise. A sign after it means that it may not last; brackets mean that the figure
// may be outdated.
func (g glance) short(s poll.State) string {
	text := "–"
	m, _ := s.Snapshot.Meter(g.line.Meter)
	switch {
	case g.word == standsError:
		return "⚠"
	case g.bound:
		text = strings.ReplaceAll(words.Percent(g.meter), " ", "")
	case g.word == standsUnlimited:
		text = "∞"
	case m.State == usage.StateOK:
		text = g.line.Text // the figure without a limit
	case s.Snapshot.Untouched():
		text = "100%"
	}
	if g.warns() {
		text += " " + words.Glyph(g.meter.Pace.Verdict)
	}
	if source := s.Snapshot.Source; s.HasFigures() && (source.Stale || source.FetchedAt.IsZero()) {
		return "(" + text + ")"
	}
	return text
}

// age is the time of the figures, unless it is the present.
func age(w words.Words, s poll.State) string {
	switch fetched := s.Snapshot.Source.FetchedAt; {
	case !s.HasFigures():
		return ""
	case fetched.IsZero():
		return "age unknown"
	case s.Snapshot.Source.Stale || s.Err != nil:
		return "as of " + w.Past(fetched, s.At)
	default:
		return ""
	}
}

// leadFirst are the plans as a tooltip or a menu has them: first the one that the bar
// shows.
func leadFirst(all poll.Plans) poll.Plans {
	i := slices.IndexFunc(all, func(s poll.State) bool { return s.Lead })
	if i < 0 {
		return all
	}
	return slices.Insert(slices.Delete(slices.Clone(all), i, i+1), 0, all[i])
}

// row is a line of a menu or a tooltip.
type row struct {
	bar, text string
	tone      words.Tone
	// below says that the row belongs to the one above.
	below bool
}

// rows are the meters.
func rows(w words.Words, s poll.State) (all []row) {
	if s.HasFigures() && s.Snapshot.Billing == usage.BillingUnlimited {
		all = append(all, row{text: "Unlimited"})
	}
	for _, l := range w.Lines(s.Snapshot) {
		all = append(all, row{bar: l.Bar, text: l.Label + ": " + l.Text, tone: l.Tone})
		tone := l.PaceTone // the first line has the pace, if any
		for _, below := range l.Below(menuWidth) {
			all = append(all, row{text: below, tone: tone, below: true})
			tone = words.TonePlain
		}
	}
	return all
}

// paragraphs are the texts below the meters, broken into lines: the notices, the
// problems, and why the figures are old or missing.
func paragraphs(w words.Words, s poll.State) (all [][]string) {
	sentences := w.Sentences(s.Snapshot)
	if why := s.Sentence(w); why != "" {
		sentences = append(sentences, why)
	}
	for _, sentence := range sentences {
		if sentence = terminal.Line(sentence); sentence != "" {
			all = append(all, strings.Split(ansi.Wrap(sentence, menuWidth, ""), "\n"))
		}
	}
	return all
}

// menuWidth is the width limit of a menu or a tooltip, in columns.
const menuWidth = 64

// title is a plan's heading, with the age of figures that are not fresh.
func title(heading string, w words.Words, s poll.State) string {
	title := terminal.Line(heading)
	if age := age(w, s); age != "" {
		title += " · " + age
	}
	return title
}
