package spend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"windsock/probe/say"
	"windsock/probe/terminal"
	"windsock/usage"
	"windsock/usage/words"
)

// Unknown stands for a figure that is not known.
const Unknown = "–"

// Cost is a cost in a table whose head names the unit.
func Cost(a usage.Amount, unit usage.Unit) string {
	if !a.Known() {
		return Unknown
	}
	return words.Short(a, unit)
}

// Column is the head of a column of costs.
func Column(unit usage.Unit) string {
	return map[usage.Unit]string{
		usage.UnitCredits: "Credits", usage.UnitPercent: "Quota", usage.UnitACU: "ACUs", usage.UnitUSD: "Extra usage",
	}[unit]
}

// Sentences say what the rows of a report do not: what the meters moved beside the costs,
// of which cost the averages are, which model was the dearest, and how much is not told.
func (r Report) Sentences(w words.Words) []string {
	var all []string
	add := func(sentence string) {
		if sentence != "" {
			all = append(all, sentence)
		}
	}
	for _, unit := range Units() {
		add(r.meters(unit))
	}
	add(r.unseen(w))
	add(r.averages())
	add(r.dearest())
	add(r.untold())
	return all
}

// of are the meters of a unit. The daily quota and the weekly one count the same use, so
// that the first stands for both.
func (r Report) of(unit usage.Unit) []Moved {
	all := slices.DeleteFunc(slices.Clone(r.Meters), func(m Moved) bool { return m.Meter.Info().Unit != unit })
	if unit == usage.UnitPercent {
		return all[:min(1, len(all))]
	}
	return all
}

func isUnseen(m Moved) bool { return !m.Moved.Known() }

// meters says what the meters of a unit moved, and what of it the cascades do not explain.
func (r Report) meters(unit usage.Unit) string {
	all, cost, sum := r.of(unit), r.Total.In(unit), int64(0)
	for _, m := range all {
		sum += m.Moved.Millionths()
	}
	if len(all) == 0 || slices.ContainsFunc(all, isUnseen) || sum == 0 && !cost.Positive() {
		return ""
	}
	used := byMeter(all)
	difference, told := all[0].Elsewhere.Micros()
	size := usage.Micros(max(difference, -difference))
	switch {
	case r.Partial:
		return used + ". How much of that was spent elsewhere is not known: not all cascades were read."
	case !told:
		return used + ". What of that the cascades cost is not told."
	case size.Millionths() < unit.Step():
		return used + ", as the cascades tell."
	case difference < 0:
		return used + ", " + words.InUnit(size, unit) + " less than the cascades tell: the meter lags behind."
	default:
		some := words.Short(size, unit)
		switch {
		case unit == usage.UnitPercent || unit == usage.UnitUSD:
		case strings.Contains(used, " were "):
			some += " of them"
		default:
			some += " of it"
		}
		if r.Total.UnknownSteps > 0 {
			return used + "; " + some + " elsewhere (completions, another computer, the Devin web app) or by steps that tell no cost."
		}
		return used + "; " + some + " elsewhere: completions, another computer, the Devin web app."
	}
}

// unseen says since when the history has the meters that matter and that it did not see
// moving from the beginning on.
func (r Report) unseen(w words.Words) string {
	var labels []string
	var from time.Time
	for _, unit := range Units() {
		for _, m := range r.of(unit) {
			if isUnseen(m) && (r.Total.In(unit).Positive() || unit == r.Total.Unit()) {
				labels = append(labels, quoted(m.Meter.Info().Label))
				if m.From.After(from) {
					from = m.From
				}
			}
		}
	}
	meters := "the meter "
	switch len(labels) {
	case 0:
		return ""
	case 1:
	default:
		meters = "the meters "
	}
	why := "Windsock has no history of that yet."
	switch {
	case from.After(r.Since):
		why = "Windsock's history of that begins on " + w.Date(from) + "."
	case !from.IsZero():
		why = "Windsock's last figure of that is too old."
	}
	return "How far " + meters + listed(labels) + " moved in this time is not known: " + why
}

// byMeter says what was used by what meters of one unit moved.
func byMeter(all []Moved) string {
	moving := slices.DeleteFunc(slices.Clone(all), func(m Moved) bool { return !m.Moved.Positive() })
	if len(moving) == 0 {
		moving = all[:1]
	}
	parts := make([]string, len(moving))
	for i, m := range moving {
		parts[i] = amount(m)
	}
	subject, verb := "the meter", "were"
	switch {
	case len(parts) > 1:
		subject = "the meters"
	case moving[0].Meter.Info().Unit == usage.UnitPercent, moving[0].Meter.IsMoney(), strings.HasPrefix(parts[0], "1 "):
		verb = "was"
	}
	return "By " + subject + ", " + listed(parts) + " " + verb + " used in this time"
}

// amount is what a meter moved, with its name.
func amount(m Moved) string {
	info := m.Meter.Info()
	figure, label := words.InUnit(m.Moved, info.Unit), strings.ToLower(info.Label)
	switch info.Unit {
	case usage.UnitCredits:
		kind := strings.TrimSuffix(label, " credits")
		return strings.Replace(figure, " ", " "+kind+" ", 1)
	case usage.UnitACU:
		return figure
	case usage.UnitPercent:
		return figure + " of the " + label
	default:
		return figure + " of " + label
	}
}

// averages says of which cost they are, where something was paid besides: a row of extra
// usage alone has an average of 0 % of the quota.
func (r Report) averages() string {
	if len(r.Rows) == 0 || len(r.Total.Paid()) < 2 {
		return ""
	}
	return "The averages are of “" + Column(r.Total.Unit()) + "” alone."
}

// dearest names the model whose prompts cost most on average. Where they were paid in two
// ways, one cost does not tell which that is.
func (r Report) dearest() string {
	unit, most, known := r.Total.Unit(), Row{}, 0
	for _, row := range r.Rows {
		average := row.PerPrompt(unit)
		if !average.Known() || row.Key == "" {
			continue
		}
		known++
		if average.Millionths() > most.PerPrompt(unit).Millionths() {
			most = row
		}
	}
	if r.By != ByModel || known < 2 || most.Key == "" || len(r.Total.Paid()) > 1 {
		return ""
	}
	return "Most expensive for one prompt: " + terminal.Short(most.Label) + " (" + words.InUnit(most.PerPrompt(unit), unit) + " on average)."
}

// untold says how many steps tell no cost.
func (r Report) untold() string {
	switch n := r.Total.UnknownSteps; {
	case n == 0:
		return ""
	case r.Total.Unit() == "":
		return "No step of a model tells a cost: the models are free, or the server does not tell."
	case n == 1:
		return "1 of " + Count(r.Total.ModelSteps) + " steps of models tells no cost; it may be free, paid with the prompt, or not told."
	default:
		return Count(n) + " of " + Count(r.Total.ModelSteps) + " steps of models tell no cost; they may be free, paid with the prompt, or not told."
	}
}

// Count is a number of prompts or steps.
func Count(n int) string { return words.Figure(usage.Micros(int64(n) * usage.One)) }

// Nothing says why a report has no rows; "" if it has some.
func (r Report) Nothing() string {
	switch {
	case len(r.Rows) > 0:
		return ""
	case r.Read.IsZero():
		return "Nothing is kept yet of what cascades cost."
	default:
		return "No cascade had a prompt or a cost in this time."
	}
}

// shownFailures is how many cascades that could not be read are named.
const shownFailures = 5

// Sentences say what a reading left out, and why.
func (l Look) Sentences() []string {
	var all []string
	if l.Busy {
		all = append(all, "A prompt of Windsock's own is running, so nothing new was read. Try again when it is answered.")
	}
	switch n := l.Running; {
	case n == 1:
		all = append(all, "A turn is running; its cascade is left for later.")
	case n > 1:
		all = append(all, fmt.Sprintf("Turns are running; their %d cascades are left for later.", n))
	}
	for _, f := range l.Failed[:min(shownFailures, len(l.Failed))] {
		what := "A window's list of cascades"
		if f.Cascade.ID != "" {
			what = "The cascade " + quoted(cmp.Or(terminal.Line(f.Cascade.Title), f.Cascade.ID))
		}
		all = append(all, what+" could not be read: "+say.Sentence(f.Err, "its answer cannot be used."))
	}
	if more := len(l.Failed) - shownFailures; more > 0 {
		all = append(all, fmt.Sprintf("%d more could not be read.", more))
	}
	return all
}

// maxTitle is how many characters of a title a sentence has room for.
const maxTitle = 60

func quoted(text string) string {
	runes := []rune(terminal.Short(text))
	if len(runes) > maxTitle {
		runes = []rune(strings.TrimRightFunc(string(runes[:maxTitle-1]), unicode.IsSpace) + "…")
	}
	return "“" + string(runes) + "”"
}

// listed joins parts as in "a, b and c".
func listed(parts []string) string {
	last := len(parts) - 1
	if last < 1 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}
