package tray

import (
	"strings"
	"unicode/utf16"

	"windsock/tray/icon"
	"windsock/usage"
	"windsock/usage/words"
)

// tooltipMax is how much of a tooltip Windows shows, in UTF-16 units.
const tooltipMax = 127

// title is the share that is left, for the place beside the icon. It is in brackets if
// it may be out of date, as in usage's formats for bars.
func title(s State) string {
	if !s.Options.Config.Title || !s.Poll.HasFigures() {
		return ""
	}
	meter, ok := s.Poll.Snapshot.Binding()
	if !ok {
		return ""
	}
	text := strings.ReplaceAll(words.Percent(meter), " ", "")
	if gauge(s).Stale {
		text = "(" + text + ")"
	}
	return text
}

// tooltip words the meter that runs out first, or why there is none.
func tooltip(s State) string {
	text := s.Poll.Sentence(s.Options.Words)
	if s.Poll.HasFigures() {
		stale := text != ""
		text = "Windsock"
		line, ok := s.Options.Words.Leading(s.Poll.Snapshot)
		switch {
		case ok:
			text = line.Label + ": " + line.Text
		case s.Poll.Snapshot.Billing == usage.BillingUnlimited:
			text = "Unlimited"
		}
		switch fetched := s.Poll.Snapshot.Source.FetchedAt; {
		case fetched.IsZero():
			text += ", age unknown"
		case stale:
			text += ", as of " + s.Options.Words.Past(fetched, s.Poll.At)
		case ok:
			text = longest(text, line.Pace, line.Under)
		}
	}
	if s.Demo {
		text = "Demo: " + text
	}
	return clip(text)
}

// longest adds as many parts as fit into a tooltip.
func longest(text string, parts ...string) string {
	const demo = len("Demo: ")
	for _, part := range parts {
		longer := text + " · " + part
		if part != "" && len(utf16.Encode([]rune(longer))) <= tooltipMax-demo {
			text = longer
		}
	}
	return text
}

// gauge is the icon.
func gauge(s State) icon.Icon {
	source := s.Poll.Snapshot.Source
	i := icon.Icon{Demo: s.Demo, Stale: source.Stale || source.Kind == usage.KindCache}
	meter, bound := s.Poll.Snapshot.Binding()
	_, onExtraUsage := s.Poll.Snapshot.Notice(usage.NoticeOnExtraUsage)
	switch {
	case !s.Poll.HasFigures():
		if s.Poll.Err != nil {
			i.Band = icon.Error
		}
	case s.Poll.Snapshot.Billing == usage.BillingUnlimited:
		i.Band = icon.Unlimited
	case s.Poll.Snapshot.Untouched():
		i.Band, i.Level = icon.OK, 10
	case !bound:
		i.Band = icon.Unknown
	case meter.State == usage.StateExhausted && onExtraUsage:
		i.Band = icon.Extra
	case meter.State == usage.StateExhausted:
		i.Band = icon.Exhausted
	default:
		i.Band, i.Level = band(s.Options.Words.Line(s.Poll.Snapshot, meter).Tone), words.Tenths(meter)
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
