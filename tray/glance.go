package tray

import (
	"strings"
	"unicode/utf16"

	"windsock/tray/icon"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// tooltipMax is how much of a tooltip Windows shows, in UTF-16 units.
const tooltipMax = 127

// The icon, the title and the tooltip up to its semicolon tell of the leading plan alone.

// title is the share that is left, for the place beside the icon. It is in brackets if
// it may be out of date, as in usage's formats for bars.
func title(s State) string {
	lead := s.Plans.Lead()
	if !s.Options.Config.Title || !lead.HasFigures() {
		return ""
	}
	meter, ok := lead.Snapshot.Binding()
	if !ok {
		return ""
	}
	text := strings.ReplaceAll(words.Percent(meter), " ", "")
	if gauge(s).Stale {
		text = "(" + text + ")"
	}
	return text
}

// tooltip words the meter that runs out first, or why there is none, and names the
// other plans that are used up.
func tooltip(s State) string {
	lead := s.Plans.Lead()
	text := lead.Sentence(s.Options.Words)
	if lead.HasFigures() {
		stale := text != ""
		text = "Windsock"
		line, ok := s.Options.Words.Leading(lead.Snapshot)
		switch {
		case ok:
			text = line.Label + ": " + line.Text
		case lead.Snapshot.Billing == usage.BillingUnlimited:
			text = "Unlimited"
		}
		if s.several() {
			text = leadName(s) + " · " + text
		}
		var pace, under string
		switch fetched := lead.Snapshot.Source.FetchedAt; {
		case fetched.IsZero():
			text += ", age unknown"
		case stale:
			text += ", as of " + s.Options.Words.Past(fetched, lead.At)
		case ok:
			pace, under = line.Pace, line.Under
		}
		others := usedUp(s, text)
		// Without the odds, the rest of the pace says too much.
		clauses := strings.Split(pace, " · ")
		if paced := longest(text, others, clauses[0]); paced != text {
			text = longest(paced, others, clauses[1:]...)
		}
		text = longest(text, others, under) + others
	}
	if s.Demo {
		text = "Demo: " + text
	}
	return clip(text)
}

// longest adds as many parts as fit into a tooltip before its end.
func longest(text, end string, parts ...string) string {
	for _, part := range parts {
		if longer := text + " · " + part; part != "" && fits(longer+end) {
			text = longer
		}
	}
	return text
}

// fits leaves room for the word that a demo begins with.
func fits(text string) bool {
	return len(utf16.Encode([]rune("Demo: "+text))) <= tooltipMax
}

// gauge is the icon.
func gauge(s State) icon.Icon {
	i := gaugeOf(s.Plans.Lead(), s.Options.Words)
	i.Demo = s.Demo
	return i
}

// gaugeOf is the icon of a plan.
func gaugeOf(p poll.State, w words.Words) icon.Icon {
	source := p.Snapshot.Source
	i := icon.Icon{Stale: source.Stale || source.Kind == usage.KindCache}
	meter, bound := p.Snapshot.Binding()
	_, pays := p.Snapshot.Payer()
	switch {
	case !p.HasFigures():
		if p.Err != nil {
			i.Band = icon.Error
		}
	case p.Snapshot.Billing == usage.BillingUnlimited:
		i.Band = icon.Unlimited
	case p.Snapshot.Untouched():
		i.Band, i.Level = icon.OK, 10
	case !bound:
		i.Band = icon.Unknown
	case meter.State == usage.StateExhausted && pays:
		i.Band = icon.Extra
	case meter.State == usage.StateExhausted:
		i.Band = icon.Exhausted
	default:
		i.Band, i.Level = band(w.Line(p.Snapshot, meter).Tone), words.Tenths(meter)
	}
	return i
}

func band(t words.Tone) icon.Band {
	switch t {
	case words.ToneCritical:
		return icon.Critical
	case words.ToneLow:
		return icon.Low
	default:
		return icon.OK
	}
}

// clip cuts a text to a tooltip's length. Windows cuts without a mark, and systray
// without the NUL that ends the text.
func clip(text string) string {
	if len(utf16.Encode([]rune(text))) <= tooltipMax {
		return text
	}
	units, end := 1, 0 // one for the mark
	for i, r := range text {
		if units += utf16.RuneLen(r); units > tooltipMax {
			break
		}
		end = i + len(string(r))
	}
	return text[:end] + "…"
}
