package tray

import (
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	humanize "github.com/dustin/go-humanize"

	"windsock/chat/openai"
	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/words"
)

// The rules of the texts: a sentence says what happened and what to do, and ends with
// a period; a row that opens something ends with an ellipsis; a number stands beside
// the word that it counts; no text repeats a secret, a path or a server's text.

// menuWidth is the maximum width of a row, in columns. Menus do not wrap.
const menuWidth = 64

// render makes a View of a State. It reads no clock: the present is the poll's.
func render(s State) View {
	var v View
	v.Icon = gauge(s)
	v.Title = title(s)
	v.Tooltip = tooltip(s)
	if s.Demo {
		v.Rows[RowDemo] = Row{Label: "Demo in time-lapse: all figures are made up"}
	}
	v.Rows[RowHeading] = heading(s)
	fill(v.Rows[RowStatus:rowFigure], wrap(s.Poll.Sentence(s.Options.Words)))
	figures(v.Rows[rowFigure:rowNote], s)
	v.Rows[RowMute] = muteRow(s)
	if s.Window {
		v.Rows[RowHistory].Label = "Usage history…"
		if !s.Cascades.Off {
			v.Rows[RowPrompt].Label = "Quick prompt…"
			v.Rows[RowClean].Label = clean(s.Cascades)
		}
	}
	v.Rows[RowRefresh] = refresh(s)
	if s.ManagePlan && s.Poll.Snapshot.PlanPage() != "" {
		v.Rows[RowManage].Label = "Manage plan…"
	}
	if s.Diagnostics {
		v.Rows[RowDiagnostics].Label = "Save diagnostics…"
	}
	if s.Settings {
		v.Rows[RowSettings].Label = "Settings…"
	}
	if s.API != nil {
		v.Rows[RowAPI] = apiRow(*s.API)
	}
	if s.Login != LoginUnknown {
		v.Rows[RowLogin] = Row{Label: "Start at login", Checked: s.Login == LoginOn}
	}
	v.Rows[RowQuit].Label = strings.TrimSpace("Quit Windsock " + s.Version)
	return v.fit(notes(s))
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

// heading names the editor, the plan, and the age of the figures unless a sentence
// does.
func heading(s State) Row {
	snapshot := s.Poll.Snapshot
	if !s.Poll.HasFigures() {
		if snapshot.Source.App == "" && snapshot.PlanName == "" {
			return Row{}
		}
		return Row{Label: ansi.Truncate(words.Heading(snapshot), menuWidth, "…")}
	}
	age := ""
	if !s.Demo && s.Poll.Sentence(s.Options.Words) == "" {
		age = " · updated " + words.Ago(s.Poll.Age())
	}
	return Row{Label: ansi.Truncate(words.Heading(snapshot), menuWidth-len(age), "…") + age}
}

// figures are the meters' rows.
func figures(rows []Row, s State) {
	snapshot := s.Poll.Snapshot
	if s.Poll.HasFigures() && snapshot.Billing == usage.BillingUnlimited {
		rows[0].Label = "Unlimited"
		rows = rows[rowsEach:]
	}
	for _, line := range s.Options.Words.Lines(snapshot) {
		if len(rows) < rowsEach {
			break
		}
		rows[0].Label = figure(line)
		below := line.Below(menuWidth)
		for i, text := range below[:min(len(below), rowsEach-1)] {
			// A reset is irrelevant as long as the figure lasts.
			rows[1+i] = Row{Label: indent + text, Faint: i > 0 || line.Pace == ""}
		}
		rows = rows[rowsEach:]
	}
}

func figure(l words.Line) string {
	text := l.Label + ": " + l.Text
	if l.Bar != "" {
		text = l.Bar + "  " + text
	}
	return text
}

// notes are the notices and problems, and the app's own messages.
func notes(s State) []string {
	lines := wrap(s.Failure) // first, as it answers the person's last action
	for _, sentence := range s.Options.Words.Sentences(s.Poll.Snapshot) {
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
		meter, there := s.Poll.Snapshot.Meter(mute.Meter)
		tone := s.Options.Words.Line(s.Poll.Snapshot, meter).Tone
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
	var names []string
	for _, m := range mutes {
		meter, _ := s.Poll.Snapshot.Meter(m.Meter)
		names = append(names, s.Options.Words.Line(s.Poll.Snapshot, meter).Label)
	}
	label := "Mute warnings: " + strings.Join(names, ", ")
	if until := mutes[0].Until; len(mutes) == 1 && !until.IsZero() {
		label += " (until " + s.Options.Words.Moment(until, s.Poll.At) + ")"
	}
	return Row{Label: ansi.Truncate(label, menuWidth, "…"), Checked: mutes[0].On}
}

func refresh(s State) Row {
	switch {
	case s.Poll.Fetching && !s.Demo:
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

// fill puts texts onto rows. If there are too many, the last row says how many more.
func fill(rows []Row, lines []string) {
	if most := len(rows); len(lines) > most {
		lines = append(lines[:most-1:most-1], "… ("+strconv.Itoa(len(lines)-most+1)+" more lines)")
	}
	for i, line := range lines {
		rows[i].Label = line
	}
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
