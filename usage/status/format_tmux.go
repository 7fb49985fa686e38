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

// tmuxSign is a run of #: tmux halves it once or twice, by what comes behind it, so
// that only a single one can be escaped.
var tmuxSign = regexp.MustCompile("#+")

// tmuxStates are short texts for states whose line is too long.
var tmuxStates = map[usage.State]string{
	usage.StateRolledOver: "reset, figure not known yet",
	usage.StateUnreadable: "figure not readable",
}

// tmuxStyles bring their own background: on tmux's green bar, yellow cannot be
// read, and other bars may have any colour.
var tmuxStyles = map[words.Tone]string{words.ToneLow: "fg=black,bg=yellow", words.ToneCritical: "fg=brightwhite,bg=red"}

// writeTmux is a state on one short line for tmux's status-left or
// status-right. tmux reads what a program writes as a format once more, so
// that a # that is no style of ours is doubled.
//
// A style ends with the colours that the status line has by itself.
func writeTmux(s poll.State, w words.Words, colour bool) string {
	g := glanceAt(w, s)
	text := tmuxSign.ReplaceAllString(terminal.Line(tmuxText(s, w, g)), "##")
	if style := tmuxStyles[g.tone]; colour && style != "" {
		text = "#[" + style + "]" + text + "#[fg=default,bg=default]"
	}
	return text + "\n"
}

// tmuxText has no menu below it to say the rest, so it is words.
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
		pace, _, _ := strings.Cut(w.Line(s.Snapshot, g.meter).Pace, ", ")
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
