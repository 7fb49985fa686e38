package status

import (
	"cmp"
	"regexp"
	"strings"

	"windsock/probe/terminal"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// tmuxSign matches a run of #. Depending on the next character, tmux halves a run once
// or twice, so that only a single # can be escaped.
var tmuxSign = regexp.MustCompile("#+")

// tmuxStates are short texts for states with a line that is too long.
var tmuxStates = map[usage.State]string{
	usage.StateRolledOver: "reset, figure not known yet",
	usage.StateUnreadable: "figure not readable",
}

// tmuxStyles set their own background: yellow is illegible on tmux's green bar, and
// other bars may have any colour.
var tmuxStyles = map[words.Tone]string{words.ToneLow: "fg=black,bg=yellow", words.ToneCritical: "fg=brightwhite,bg=red"}

// writeTmux is the leading plan on one short line for tmux's status-left or
// status-right, by its name, and then the names of the others that are used up. tmux
// reads a program's output as a format again, so that every # outside our styles is
// doubled.
//
// A style ends with the status line's own colours.
func writeTmux(all poll.Plans, w words.Words, colour bool) string {
	all = leadFirst(all)
	names, lead := all.Names(), all.Lead()
	g := glanceAt(w, lead)
	text := tmuxLine(tmuxText(lead, w, g))
	if style := tmuxStyles[g.tone]; colour && style != "" {
		text = "#[" + style + "]" + text + "#[fg=default,bg=default]"
	}
	var usedUp []string
	for i, s := range all[1:] {
		if _, pays := s.Snapshot.Payer(); glanceAt(w, s).word == standsExhausted && !pays {
			usedUp = append(usedUp, names[1+i])
		}
	}
	if usedUp != nil {
		text += tmuxLine("; used up: " + strings.Join(usedUp, ", "))
	}
	return tmuxLine(names[0]) + " " + text + "\n"
}

// tmuxLine is a text that tmux draws as it is.
func tmuxLine(text string) string { return tmuxSign.ReplaceAllString(terminal.Line(text), "##") }

// tmuxText uses words, since no menu explains a sign.
func tmuxText(s poll.State, w words.Words, g glance) string {
	var text string
	switch {
	case g.word == standsError:
		return strings.ReplaceAll(errorCode(s.Err), "_", " ")
	case !s.HasFigures():
		return "…"
	case g.bound && g.meter.State != usage.StateExhausted:
		text = strings.ReplaceAll(words.Percent(g.meter), " ", "") + " left"
	case g.word == standsUnlimited:
		text = "unlimited"
	default:
		m, _ := s.Snapshot.Meter(g.line.Meter)
		text = cmp.Or(tmuxStates[m.State], lowerFirst(g.line.Text))
	}
	if g.warns() {
		_, pace, _ := strings.Cut(w.Line(s.Snapshot, g.meter).Verdict(), " ")
		text += ", " + lowerFirst(pace)
	}
	if age := age(w, s); age != "" {
		text += " (" + age + ")"
	}
	return text
}

func lowerFirst(text string) string {
	return strings.ToLower(text[:min(1, len(text))]) + text[min(1, len(text)):]
}
