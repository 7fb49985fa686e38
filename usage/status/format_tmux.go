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

// writeTmux is a state on one short line for tmux's status-left or status-right. tmux
// reads a program's output as a format again, so that every # outside our styles is
// doubled.
//
// A style ends with the status line's own colours.
func writeTmux(s poll.State, w words.Words, colour bool) string {
	g := glanceAt(w, s)
	text := tmuxSign.ReplaceAllString(terminal.Line(tmuxText(s, w, g)), "##")
	if style := tmuxStyles[g.tone]; colour && style != "" {
		text = "#[" + style + "]" + text + "#[fg=default,bg=default]"
	}
	return text + "\n"
}

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
