package status

import (
	"slices"
	"strings"

	"windsock/probe/terminal"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// The colours of lines for xbar. SwiftBar accepts a pair for light and dark menus, but
// xbar rejects it; these are legible on both.
var xbarColours = map[words.Tone]string{words.ToneLow: "color=#b87400", words.ToneCritical: "color=#e5484d"}

// writeXbar is the output of a plugin of xbar or SwiftBar: the leading plan as the text
// of the menu bar, a line of three hyphens, and all plans as the menu, that one first. A
// separator ends a plan, and stands nowhere else. It uses only parameters that both know,
// since xbar rejects the whole output for an unknown one.
func writeXbar(all poll.Plans, w words.Words) string {
	all = leadFirst(all)
	g := glanceAt(w, all.Lead())
	headings := all.Headings()
	var menu []string
	for i, s := range all {
		menu = slices.Concat(menu, []string{"---", xbarLine(title(headings[i], w, s))}, xbarPlan(s, w))
	}
	return strings.Join(slices.Concat(
		[]string{xbarLine(g.short(all.Lead()), xbarColours[g.tone])},
		menu,
		[]string{"---", xbarLine("Refresh", "refresh=true")},
		xbarPages(all),
	), "\n") + "\n"
}

// xbarPlan is a plan below its title. A line without an action is greyed out, so the
// figures have one: they refresh.
func xbarPlan(s poll.State, w words.Words) (menu []string) {
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
		for _, line := range paragraph {
			menu = append(menu, xbarLine(line))
		}
	}
	return menu
}

// xbarPages open the pages of the plans, each page once. One that is not of all plans
// says of which.
func xbarPages(all poll.Plans) (menu []string) {
	var pages []string
	of := map[string][]string{} // names of plans
	for i, name := range all.Names() {
		page := all[i].Snapshot.PlanPage()
		if page == "" {
			continue
		}
		if of[page] == nil {
			pages = append(pages, page)
		}
		of[page] = append(of[page], terminal.Line(name))
	}
	for _, page := range pages {
		label := "Manage plan…"
		if len(of[page]) < len(all) {
			label = "Manage " + strings.Join(of[page], ", ") + "…"
		}
		menu = append(menu, xbarLine(label, "href="+page))
	}
	return menu
}

// xbarLine is a line of the menu; it leaves out empty parameters.
func xbarLine(text string, parameters ...string) string {
	parameters = slices.DeleteFunc(parameters, func(p string) bool { return p == "" })
	if len(parameters) == 0 {
		return xbarText(text)
	}
	return xbarText(text) + " | " + strings.Join(parameters, " ")
}

// xbarText puts look-alikes in place of characters that xbar and SwiftBar interpret and
// cannot escape: a vertical bar begins the parameters, a hyphen at the start makes a
// submenu or a separator, a backslash escapes, and two colons in a word make an emoji
// or a symbol.
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
