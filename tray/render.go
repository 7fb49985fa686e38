package tray

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	humanize "github.com/dustin/go-humanize"

	"windsock/chat/openai"
	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// The rules of the texts: a sentence says what happened and what to do, and ends with
// a period; a row that opens something ends with an ellipsis; a number stands beside
// the word that it counts; no text repeats a secret, a path or a server's text.

// menuWidth is the maximum width of a row, in columns. Menus do not wrap.
const menuWidth = 64

// render makes a View of a State. It reads no clock: the present is the plans'.
func render(s State) View {
	m := menu{window: s.Window}
	switch {
	case s.Lapse:
		m.add(RowDemo, Row{Label: "Demo in time-lapse: all figures are made up"}, shedNever)
	case s.Demo:
		m.add(RowDemo, Row{Label: "Demo: all figures are made up"}, shedNever)
	}
	m.addPlans(s)
	m.add(RowMute, muteRow(s), shedNever)
	add := func(at RowID, there bool, row Row) {
		if !there {
			return
		}
		when := spare[at]
		if !s.several() && at != RowLogin {
			when = shedNever
		}
		m.add(at, row, when)
	}
	add(RowConsent, s.Window && s.Unasked && nothingRuns(s.Plans), Row{Label: "Figures without the editor…"})
	add(RowPrompt, s.Window && (!s.Cascades.Off || s.Cascades.Agent), Row{Label: "Quick prompt…"})
	add(RowHistory, s.Window, Row{Label: "Usage history…"})
	add(RowClean, s.Window && !s.Cascades.Off, Row{Label: clean(s.Cascades)})
	add(RowRefresh, true, refresh(s))
	add(RowManage, s.ManagePlan && s.planPage() != "", Row{Label: "Manage plan…"})
	add(RowDiagnostics, s.Diagnostics, Row{Label: "Save diagnostics…"})
	add(RowSettings, s.Settings, Row{Label: "Settings…"})
	if s.API != nil {
		add(RowAPI, true, apiRow(*s.API))
	}
	add(RowLogin, s.Login != LoginUnknown, Row{Label: "Start at login", Checked: s.Login == LoginOn})
	add(RowQuit, true, Row{Label: strings.TrimSpace("Quit Windsock " + s.Version)})
	return View{Icon: gauge(s), Title: title(s), Tooltip: tooltip(s), Rows: m.fit(notes(s))}
}

// nothingRuns reports whether no plan has fresh figures because no editor runs.
func nothingRuns(plans poll.Plans) bool {
	const notRunning = "not_running"
	return len(plans) > 0 && !slices.ContainsFunc(plans, func(p poll.State) bool { return say.Code(p.Err) != notRunning })
}

// clean is the row that opens the cascades, "" if they were not counted.
func clean(c Cascades) string {
	const label = "Clean trajectories…"
	stale := strconv.Itoa(c.Stale) + " stale cascades"
	if c.Stale == 1 {
		stale = "1 stale cascade"
	}
	switch {
	case !c.Counted:
		return ""
	case c.Stale == 0:
		return label
	case !c.BytesKnown:
		return label + " (" + stale + ")"
	default:
		return label + " (" + humanize.Bytes(uint64(max(c.Bytes, 0))) + " in " + stale + ")"
	}
}

// notes are the notices and problems, and the app's own messages.
func notes(s State) []string {
	lines := wrap(s.Failure) // first, as it answers the person's last action
	for _, sentence := range planNotes(s) {
		lines = append(lines, wrap(sentence)...)
	}
	lines = append(lines, wrap(s.Notice)...)
	lines = append(lines, wrap(s.Options.Problem)...)
	if s.API != nil {
		lines = append(lines, wrap(s.API.Problem)...)
	}
	return lines
}

// offered are the meters that a click mutes: those with warnings ahead. A row for a
// meter with much left would only be in the way. If all of them are muted, it is the
// muted ones.
func offered(s State) []alert.Mute {
	var mutes, muted []alert.Mute
	for _, mute := range s.Mutes {
		of := s.of(mute.Plan).Snapshot
		meter, there := of.Meter(mute.Meter)
		tone := s.Options.Words.Line(of, meter).Tone
		over := meter.State == usage.StateExhausted // no warnings are ahead
		switch {
		case !there:
		case mute.On:
			muted = append(muted, mute)
		case !over && (tone == words.ToneLow || tone == words.ToneCritical):
			mutes = append(mutes, mute)
		}
	}
	if len(mutes) == 0 {
		return muted
	}
	return mutes
}

// muteRow is one row for all meters that can be muted now; the settings have one row
// per meter.
func muteRow(s State) Row {
	mutes := offered(s)
	if len(mutes) == 0 {
		return Row{}
	}
	var names, plans []string
	for _, m := range mutes {
		meter, _ := s.of(m.Plan).Snapshot.Meter(m.Meter)
		name := meter.Label()
		if plan := planNames(s.Plans)[s.index(m.Plan)]; s.several() && !slices.Contains(plans, plan) {
			name, plans = plan+" "+name, append(plans, plan)
		}
		names = append(names, name)
	}
	const what = "Mute warnings: "
	label := what + strings.Join(names, ", ")
	if until := mutes[0].Until; len(mutes) == 1 && !until.IsZero() {
		label += " (until " + s.Options.Words.Moment(until, s.Plans.Lead().At) + ")"
	}
	if len(plans) > 1 && ansi.StringWidth(label) > menuWidth { // a click must do no more than can be read
		label = what + strconv.Itoa(len(names)) + " meters of " + strings.Join(plans, ", ")
	}
	return Row{Label: ansi.Truncate(label, menuWidth, "…"), Checked: mutes[0].On}
}

func refresh(s State) Row {
	switch {
	case slices.ContainsFunc(s.Plans, func(p poll.State) bool { return p.Fetching }) && !s.Demo:
		return Row{Label: "Refreshing…", Faint: true}
	case s.RefreshWait > 0:
		seconds := int((s.RefreshWait + time.Second - 1) / time.Second)
		return Row{Label: "Refresh now (possible in " + strconv.Itoa(seconds) + " s)", Faint: true}
	default:
		return Row{Label: "Refresh now"}
	}
}

// apiRow is checked while the local API is switched on, and shows its state.
func apiRow(s openai.State) Row {
	label := "Local API"
	switch {
	case s.On && s.Requests == 1:
		label += " · 1 request"
	case s.On && s.Requests > 1:
		label += " · " + strconv.Itoa(s.Requests) + " requests"
	case s.On && s.Port != 0:
		label += " · port " + strconv.Itoa(s.Port)
	}
	return Row{Label: label, Checked: s.On}
}

// bounded are at most so many lines. If there are more, the last one says how many.
func bounded(lines []string, most int) []string {
	switch {
	case len(lines) <= most:
		return lines
	case most <= 0:
		return nil
	case most == 1:
		more := "… (" + strconv.Itoa(len(lines)-1) + " more lines)"
		return []string{ansi.Truncate(lines[0], menuWidth-ansi.StringWidth(more), "") + more}
	}
	return append(lines[:most-1:most-1], "… ("+strconv.Itoa(len(lines)-most+1)+" more lines)")
}

// indent marks a row that belongs to the one above it.
const indent = "    "

// wrap breaks sentences, each on a line of its own, into rows.
func wrap(sentences string) []string {
	var rows []string
	for sentence := range strings.Lines(sentences) {
		wrapped := ansi.Wrap(strings.TrimSuffix(sentence, "\n"), menuWidth-len(indent), "")
		rows = append(rows, strings.Split(strings.ReplaceAll(wrapped, "\n", "\n"+indent), "\n")...)
	}
	return rows
}
