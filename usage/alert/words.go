package alert

import (
	"strconv"
	"strings"
	"time"

	"windsock/usage"
	"windsock/usage/words"
)

// Title says what has happened, in a few words without a period. Of several plans it
// names the one concerned, at the end, as desktops cut a long title.
func (a Alert) Title(w words.Words) string {
	title := a.subject(w) + ": " + a.fact()
	if a.heading == "" {
		return title
	}
	return title + " · " + a.heading
}

// Body says what will happen and when, then in short what else was due, then the
// figures: desktops cut the text after one line (GNOME) or three (mako). It may be
// empty.
func (a Alert) Body(w words.Words) string {
	first, more := a.body(w)
	return sentences(first, a.others(w), more)
}

// subject is the name of the meter or the matter, for people.
func (a Alert) subject(w words.Words) string {
	switch a.Kind {
	case KindTopUp:
		return "Auto top-up"
	case KindOnExtraUsage:
		if a.Meter == usage.OnDemand {
			return "On-demand pays now"
		}
		return "On extra usage"
	default:
		return w.Line(a.snapshot, a.meter()).Label
	}
}

func (a Alert) meter() usage.Meter {
	m, _ := a.snapshot.Meter(a.Meter)
	return m
}

func (a Alert) fact() string {
	switch a.Kind {
	case KindInDebt, KindOnExtraUsage, KindExtraUsageSpent:
		return words.Money(a.meter())
	case KindTopUp:
		return "spent money"
	case KindExhausted:
		return "used up"
	case KindWillRunOut:
		return "likely to run out"
	case KindRefilled:
		return "refilled"
	default:
		return words.Percent(a.meter()) + " left"
	}
}

// body returns the text that comes first, and the text that comes last.
func (a Alert) body(w words.Words) (first, more string) {
	m := a.meter()
	switch a.Kind {
	case KindInDebt:
		return "The balance is below zero.", ""
	case KindOnExtraUsage:
		return a.payment(m), a.quotaBack(w)
	case KindExtraUsageSpent:
		return "At least " + strconv.Itoa(a.Step) + " % of " + words.Dollars(a.base) + " is spent.", a.quotaBack(w)
	case KindTopUp:
		n, _ := a.snapshot.Notice(usage.NoticeAutoTopUp)
		return w.Notice(n), ""
	case KindExhausted:
		return a.end(w, m)
	case KindWillRunOut:
		return a.ahead(w, m), sentences(figure(m, true), stop(w.Line(a.snapshot, m).Budget))
	case KindRefilled:
		return figure(m, true), a.reset(w, m)
	default:
		return a.ahead(w, m), figure(m, false)
	}
}

// others mentions the alerts that this one covers, unless its own text does.
func (a Alert) others(w words.Words) string {
	var parts []string
	for _, o := range a.also {
		if o.Meter != a.Meter && !a.implies(o) {
			parts = append(parts, o.subject(w)+" "+o.fact())
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Also: " + strings.Join(parts, "; ") + "."
}

func (a Alert) implies(o Alert) bool {
	switch {
	case a.Kind == KindExhausted && a.Meter == usage.PromptCredits:
		return o.Meter == usage.FlexCredits && o.Kind != KindRefilled
	case a.Kind == KindOnExtraUsage:
		return o.Kind == KindExhausted && o.meter().GivesWay()
	default:
		return false
	}
}

// end says what a used-up meter means, and when it is back.
func (a Alert) end(w words.Words, m usage.Meter) (first, more string) {
	flex, hasFlex := a.snapshot.Meter(usage.FlexCredits)
	money, pays := a.snapshot.Payer()
	switch {
	case m.ID.IsMoney():
		return "Nothing is left of " + words.Dollars(a.base) + ".", a.quotaBack(w)
	case m.ID == usage.FlexCredits:
		return a.promptBack(w), ""
	case pays && m.GivesWay() && money.ID == usage.OnDemand:
		return "Prompts are paid on demand: " + words.Money(money) + ".", a.back(w, m)
	case pays && m.GivesWay():
		return "Prompts are paid from extra usage: " + words.Money(money) + ".", a.back(w, m)
	case m.ID == usage.PromptCredits && hasFlex && flex.State == usage.StateOK:
		return "Flex credits pay now: " + figure(flex, true), a.back(w, m)
	case m.ID == usage.PromptCredits && hasFlex && flex.State == usage.StateExhausted:
		return "No flex credits are left.", a.back(w, m)
	default:
		return a.back(w, m), ""
	}
}

// ahead is what comes next: the end, in the menu's words, else the reset.
func (a Alert) ahead(w words.Words, m usage.Meter) string {
	p := m.Pace
	switch {
	case m.ID == usage.FlexCredits:
		return a.promptBack(w)
	case p == nil:
		return a.reset(w, m)
	case p.Verdict == usage.VerdictRunsOut, !p.SwitchesAt.IsZero():
		return stop(w.Line(a.snapshot, m).Pace)
	default:
		return a.reset(w, m)
	}
}

func (a Alert) reset(w words.Words, m usage.Meter) string { return a.at("Resets", w, m.Window.End) }

func (a Alert) back(w words.Words, m usage.Meter) string { return a.at("Back", w, m.Window.End) }

// promptBack is when prompt credits take over from flex credits again.
func (a Alert) promptBack(w words.Words) string {
	prompt, ok := a.snapshot.Meter(usage.PromptCredits)
	if !ok {
		return ""
	}
	return a.at("Prompt credits are back", w, prompt.Window.End)
}

// payment says what money pays.
func (a Alert) payment(m usage.Meter) string {
	switch {
	case m.ID != usage.OnDemand:
		return "Prompts are paid from the balance."
	case m.Total.Known():
		return "Prompts are paid on demand."
	default:
		return "Prompts are paid on demand, and no limit is known."
	}
}

// quotaBack is when extra usage ends.
func (a Alert) quotaBack(w words.Words) string {
	m, ok := lastBack(a.snapshot)
	if !ok {
		return ""
	}
	return a.at("The quota is back", w, m.Window.End)
}

// at says when something will happen; "" when it is over or unknown.
func (a Alert) at(what string, w words.Words, t time.Time) string {
	return stop(w.Coming(what, t, a.now()))
}

// now is when the alert came up.
func (a Alert) now() time.Time {
	if !a.snapshot.Judged.IsZero() {
		return a.snapshot.Judged
	}
	return a.snapshot.Source.FetchedAt
}

// figure is what is left of a meter. withShare is false when the title has the share.
func figure(m usage.Meter, withShare bool) string {
	if m.Unit == usage.UnitPercent {
		if withShare {
			return words.Percent(m) + " left."
		}
		return ""
	}
	text := words.Of(m.Remaining, m.Total, m.Unit) + " left"
	if withShare {
		text += " (" + words.Percent(m) + ")"
	}
	return text + "."
}

// stop ends a line as a sentence.
func stop(line string) string {
	if line == "" {
		return ""
	}
	return line + "."
}

func sentences(parts ...string) string {
	var said []string
	for _, part := range parts {
		if part != "" {
			said = append(said, part)
		}
	}
	return strings.Join(said, " ")
}
