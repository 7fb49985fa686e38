package tray

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"windsock/tray/icon"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// several reports whether plans have to be told apart.
func (s State) several() bool { return len(s.Plans) > 1 }

// shownPlans are the indices of the plans in the menu. The leading one is among them.
func (s State) shownPlans() []int {
	var shown []int
	for i, p := range s.Plans {
		switch {
		case len(shown) < mostPlans:
			shown = append(shown, i)
		case p.Lead:
			shown[mostPlans-1] = i
		}
	}
	return shown
}

// choice is what the settings call a plan that a click makes the leading one; "" if it
// cannot lead.
func choice(p poll.State) string {
	if !p.HasFigures() || !isPlanName(p.Name) {
		return ""
	}
	return p.Name
}

// chosen is the choice of a heading.
func (s State) chosen(heading int) string {
	shown := s.shownPlans()
	if !s.several() || heading >= len(shown) {
		return ""
	}
	return choice(s.Plans[shown[heading]])
}

// index is the place of a plan in the list; -1 if it is not there.
func (s State) index(plan usage.Plan) int {
	return slices.IndexFunc(s.Plans, func(p poll.State) bool { return p.Snapshot.Plan == plan })
}

// of is the state of a plan; the zero State if it is not there.
func (s State) of(plan usage.Plan) poll.State {
	if i := s.index(plan); i >= 0 {
		return s.Plans[i]
	}
	return poll.State{}
}

// planPage is the web page of the leading plan; "" if there is none.
func (s State) planPage() string { return s.Plans.Lead().Snapshot.PlanPage() }

// leadName is the short name of the leading plan.
func leadName(s State) string {
	names := planNames(s.Plans)
	return names[max(0, slices.IndexFunc(s.Plans, func(p poll.State) bool { return p.Lead }))]
}

// planNames are the short names of the plans, cut to what a tooltip has room for.
func planNames(all poll.Plans) []string {
	names := all.Names()
	for i, name := range names {
		names[i] = ansi.Truncate(name, nameWidth, "…")
	}
	return names
}

// nameWidth leaves room for a figure in a tooltip.
const nameWidth = 24

// addPlans adds the rows of all plans.
func (m *menu) addPlans(s State) {
	if !s.several() {
		lead := s.Plans.Lead()
		m.add(RowHeading, Row{Label: heading(s, lead, words.Heading(lead.Snapshot), true)}, shedNever)
		m.addPlan(rowBody(0), s, lead, true)
		return
	}
	headings, shown := s.Plans.Headings(), s.shownPlans()
	m.plans = len(s.Plans) - len(shown)
	for i, index := range shown {
		p := s.Plans[index]
		m.add(rowPlan(i), Row{
			Label: heading(s, p, headings[index], p.Lead), Checked: p.Lead, Faint: choice(p) == "",
		}, shedNever)
		m.addPlan(rowBody(i), s, p, p.Lead)
	}
}

// heading names the editor, the plan, and the age of the figures unless a sentence
// does. The sentence of a plan that does not lead may be hidden. Figures that came over
// the internet say from where, if there is room.
func heading(s State, p poll.State, name string, leads bool) string {
	if !p.HasFigures() && !s.several() && p.Snapshot.Source.App == "" && p.Snapshot.PlanName == "" {
		return ""
	}
	age := ""
	fetched := p.Snapshot.Source.FetchedAt
	switch sentence := p.Sentence(s.Options.Words); {
	case !p.HasFigures(), sentence != "" && leads, sentence == "" && s.Demo:
	case sentence == "":
		age = " · updated " + words.Ago(p.Age())
		if from := " from " + p.Snapshot.Source.Host; from != " from " && ansi.StringWidth(name+age+from) <= menuWidth {
			age += from
		}
	case fetched.IsZero():
		age = " · age unknown"
	default:
		age = " · figures of " + s.Options.Words.Past(fetched, p.At)
	}
	return ansi.Truncate(name, menuWidth-len(age), "…") + age
}

// addPlan adds the rows below a plan's heading.
func (m *menu) addPlan(at RowID, s State, p poll.State, leads bool) {
	m.addSentence(at, p, p.Sentence(s.Options.Words), leads)
	if p.HasFigures() && p.Snapshot.Billing == usage.BillingUnlimited {
		m.addMeter(at, words.Line{Text: "Unlimited"}, shedNever)
	}
	binding, _ := s.Options.Words.Leading(p.Snapshot)
	second := false
	for _, l := range s.Options.Words.Lines(p.Snapshot) {
		when := shedLeadFigure
		switch {
		case l.Meter == binding.Meter && leads:
			when = shedNever
		case l.Meter == binding.Meter:
			when = shedBinding
		case !leads && !second:
			when, second = shedSecond, true
		case !leads:
			when = shedFigure
		}
		m.addMeter(at, l, when)
		below := l.Below(menuWidth)
		for i, text := range below[:min(len(below), belowRows)] {
			row := Row{Label: indent + text, Faint: i > 0 || l.Pace == ""} // a reset is irrelevant as long as the figure lasts
			when := shedPace
			switch {
			case leads && row.Faint:
				when = shedReset
			case row.Faint:
				when = shedOtherReset
			case leads:
				when = shedLeadPace
			}
			m.add(at, row, when)
		}
	}
}

// addSentence adds why there are no figures, or no fresh ones. Where there is no room,
// it is short for a plan that does not lead.
func (m *menu) addSentence(at RowID, p poll.State, sentence string, leads bool) {
	first, rest := shedNever, shedPace
	switch {
	case p.HasFigures() && leads:
		first, rest = shedLeadFigure, shedLeadFigure
	case p.HasFigures():
		first = shedPace
	case leads:
		rest = shedNever
	}
	short, _, _ := strings.Cut(sentence, ". ")
	folded, when := ansi.Truncate(strings.TrimSuffix(short, "."), menuWidth, "…"), first
	lines := bounded(wrap(sentence), sentenceRows)
	for i, text := range lines {
		if i == len(lines)-1 {
			folded = ""
		}
		m.lines = append(m.lines, line{Row: Row{Label: text}, at: at, shed: when, folded: folded})
		folded, when = text+"…", rest
	}
}

const (
	// sentenceRows hold the sentence on why the figures are not fresh.
	sentenceRows = 4
	// belowRows hold what is below a figure: whether it lasts, and its reset.
	belowRows = 2
)

func (m *menu) addMeter(at RowID, l words.Line, when shed) {
	text := figure(l)
	added := line{Row: Row{Label: text}, at: at, shed: when, meter: true}
	if text += " · " + l.Verdict(); l.Pace != "" && ansi.StringWidth(text) <= menuWidth {
		added.folded = text
	}
	m.lines = append(m.lines, added)
}

func figure(l words.Line) string {
	text := l.Text
	if l.Label != "" {
		text = l.Label + ": " + text
	}
	if l.Bar != "" {
		text = l.Bar + "  " + text
	}
	return text
}

// usedUp names, behind the text of the leading plan, the others that are used up: with
// their meters if that fits into a tooltip.
func usedUp(s State, text string) string {
	var plans, meters []string
	names, lead := planNames(s.Plans), s.Plans.Lead()
	for i, p := range s.Plans {
		if line, ok := s.Options.Words.Leading(p.Snapshot); ok && p.Name != lead.Name && gaugeOf(p, s.Options.Words).Band == icon.Exhausted {
			plans, meters = append(plans, names[i]), append(meters, names[i]+": "+line.Label+" used up")
		}
	}
	if plans == nil {
		return ""
	}
	if long := "; " + strings.Join(meters, ", "); fits(text + long) {
		return long
	}
	if short := "; used up: " + strings.Join(plans, ", "); fits(text + short) {
		return short
	}
	return ""
}

// planNotes are the notices and problems of all plans.
func planNotes(s State) []string {
	names := planNames(s.Plans)
	var sentences []string
	for i, p := range s.Plans {
		for _, sentence := range s.Options.Words.Sentences(p.Snapshot) {
			if s.several() {
				sentence = names[i] + ": " + sentence
			}
			sentences = append(sentences, sentence)
		}
	}
	return sentences
}
