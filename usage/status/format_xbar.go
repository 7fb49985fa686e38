package status

import (
	"slices"
	"strings"

	"windsock/usage/poll"
	"windsock/usage/words"
)

// A colour of a line of xbar. SwiftBar takes one for light and one for dark
// menus, of which xbar makes an error; these are legible on both.
var xbarColours = map[words.Tone]string{words.ToneLow: "color=#b87400", words.ToneCritical: "color=#e5484d"}

// writeXbar is a state as a plugin of xbar or SwiftBar writes it: the text of
// the menu bar, a line of three strokes, and the menu. Parameters are only those
// that both know, for xbar refuses the whole of an output with an unknown one.
//
// A line without an action is greyed out, so that the figures have one: they
// ask again.
func writeXbar(s poll.State, w words.Words) string {
	g := glanceAt(w, s)
	menu := []string{
		xbarLine(g.short(s), xbarColours[g.tone]),
		"---",
		xbarLine(title(w, s)),
	}
	for _, r := range rows(w, s) {
		text, action := r.text, "refresh=true"
		if r.bar != "" {
			text = r.bar + "  " + text
		}
		if r.below {
			action = ""
		}
		menu = append(menu, xbarLine(text, xbarColours[r.tone], action))
	}
	for _, paragraph := range paragraphs(w, s) {
		menu = append(menu, "---")
		for _, line := range paragraph {
			menu = append(menu, xbarLine(line))
		}
	}
	menu = append(
		menu, "---",
		xbarLine("Refresh", "refresh=true"),
		xbarLine("Manage plan…", "href="+s.Snapshot.PlanPage()),
	)
	return strings.Join(menu, "\n") + "\n"
}

// xbarLine is a line of the menu; parameters that are empty are left out.
func xbarLine(text string, parameters ...string) string {
	parameters = slices.DeleteFunc(parameters, func(p string) bool { return p == "" })
	if len(parameters) == 0 {
		return xbarText(text)
	}
	return xbarText(text) + " | " + strings.Join(parameters, " ")
}

// xbarText puts look-alikes where xbar and SwiftBar would read more than a
// text, for which they have no escape: a bar begins the parameters, a stroke at
// the start makes a submenu or a separator, a backslash escapes, and two colons
// in a word make an emoji or a symbol of it.
func xbarText(text string) string {
	var b strings.Builder
	start, colon := true, false
	for _, r := range text {
		switch {
		case r == '|':
			r = '¦'
		case r == '\\':
			r = '∖'
		case r == '-' && start:
			r = '‐'
		case r == ':' && colon:
			r = '꞉'
		}
		b.WriteRune(r)
		start = start && r == ' '
		colon = r != ' ' && (colon || r == ':')
	}
	return b.String()
}
