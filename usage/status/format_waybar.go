package status

import (
	"strings"

	"windsock/probe/terminal"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// waybarModule is the input of a custom module of Waybar with "return-type": "json".
// Its text and tooltip are Pango markup.
type waybarModule struct {
	Text    string `json:"text"`
	Alt     string `json:"alt"`
	Tooltip string `json:"tooltip"`
	// Class is always a list, even of one.
	Class []string `json:"class"`
	// Percentage is absent when unknown; Waybar then uses 0.
	Percentage *int64 `json:"percentage,omitempty"`
}

// pango escapes Pango markup.
var pango = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// writeWaybar is the leading plan on one line, with all plans in the tooltip, that one
// first. Alt is the word for the state. The classes are that word and then what else a
// style may use: "stale", a verdict of pace that is not good, and the codes of notices, or
// the code of the error.
//
// Waybar hides a module whose program fails, and then ignores its output.
func writeWaybar(all poll.Plans, w words.Words) string {
	s := all.Lead()
	g := glanceAt(w, s)
	m := waybarModule{
		Text:    pango.Replace(g.short(s)),
		Alt:     g.word,
		Tooltip: waybarTooltip(all, w),
		Class:   classes(s, g),
	}
	if share := g.meter.RemainingPercent(); g.bound && share.Known() {
		whole := share.Scaled(0)
		m.Percentage = &whole
	}
	return terminal.LineJSON(m)
}

// waybarTooltip is all plans, with an empty line between them.
func waybarTooltip(all poll.Plans, w words.Words) string {
	all = leadFirst(all)
	plans := make([]string, len(all))
	headings := all.Headings()
	for i, s := range all {
		plans[i] = strings.Join(waybarPlan(headings[i], s, w), "\n")
	}
	return strings.Join(plans, "\n\n")
}

func waybarPlan(heading string, s poll.State, w words.Words) []string {
	meters := rows(w, s)
	lines := make([]string, 0, 1+len(meters))
	lines = append(lines, "<b>"+pango.Replace(title(heading, w, s))+"</b>")
	for _, r := range meters {
		indent := ""
		if r.below {
			indent = "    "
		}
		lines = append(lines, indent+pango.Replace(r.text))
	}
	for _, paragraph := range paragraphs(w, s) {
		lines = append(lines, pango.Replace(strings.Join(paragraph, "\n")))
	}
	return lines
}

func classes(s poll.State, g glance) []string {
	all := []string{g.word}
	if !s.HasFigures() {
		if s.Err != nil {
			all = append(all, errorCode(s.Err))
		}
		return all
	}
	if s.Snapshot.Source.Stale {
		all = append(all, "stale")
	}
	if g.warns() {
		all = append(all, string(g.meter.Pace.Verdict))
	}
	for _, n := range s.Snapshot.Notices {
		all = append(all, n.Code)
	}
	return all
}
