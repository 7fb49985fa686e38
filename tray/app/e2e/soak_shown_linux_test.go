package e2e

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"windsock/tray/traytest"
	"windsock/usage"
)

const (
	// freshFor is how old figures of an editor may be that are not marked as stale: two
	// seconds, as the app asks every second, and what a busy machine takes.
	freshFor = 15 * time.Second
	// cloudFreshFor is the same for figures of a service, see usage/poll.
	cloudFreshFor = 33 * time.Minute
	// underWay is how long an answer may take from its server to its time of arrival.
	underWay = 40 * time.Second
)

// What was looked at, and found to be told.
const (
	inReports    = "fresh figures of a plan, in JSON"
	inOldReports = "old figures of a plan, in JSON"
	inMenus      = "figure in a menu"
	inTips       = "figure in a tooltip"
	inWarnings   = "figure in a warning"
	inMetrics    = "figure for Prometheus"
	inHistory    = "figure in the history"
)

// wrongReport says what of a report no server had said; "" if nothing.
func (w *soak) wrongReport(s *soakSession, report shownReport) string {
	for _, plan := range report.Plans {
		if wrong := w.wrongPlan(s, plan, report.At); wrong != "" {
			return fmt.Sprintf("%s in %+v", wrong, plan)
		}
	}
	return ""
}

func (w *soak) wrongPlan(s *soakSession, plan shownPlan, now time.Time) string {
	if len(plan.Meters) == 0 {
		return ""
	}
	who, got := plan.Source.Variant, plan.Source.FetchedAt
	if tellers[who] != usage.Product(plan.Product) {
		return "figures of nobody"
	}
	if plan.Account != "" {
		if before := s.of(plan.Account, who); before != who {
			return "figures of the account of " + before
		}
	}
	limit := freshFor
	if plan.Source.Kind == string(usage.KindCloud) {
		limit = cloudFreshFor
	}
	if !plan.Source.Stale && now.Sub(got) > limit {
		return "old figures that are not stale"
	}
	told := func(meters ...shownMeter) bool {
		return w.told.said(who, got.Add(-underWay), got.Add(3*time.Second), func(answer toldAnswer) bool {
			return !slices.ContainsFunc(meters, func(m shownMeter) bool { return m.hasFigure() && !slices.Contains(answer.meters, m) })
		})
	}
	all := told(plan.Meters...)
	if who == "cursor" { // whose answers are several, and asked for by several
		all = !slices.ContainsFunc(plan.Meters, func(m shownMeter) bool { return !told(m) })
	}
	if !all {
		return "figures that were not told, but " + w.told.around(who, got)
	}
	w.happened(map[bool]string{false: inReports, true: inOldReports}[plan.Source.Stale])
	return ""
}

// of is whose account a hash is, which who is at first.
func (s *soakSession) of(hash, who string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.accounts[hash]; !ok {
		s.accounts[hash] = who
	}
	return s.accounts[hash]
}

// whose are those whose plans a heading or a name begins so, the longer ones first.
var whose = [][2]string{
	{"Windsurf Next", "windsurf-next"},
	{"Windsurf", "windsurf"},
	{"Devin Desktop", "windsurf"},
	{"Devin CLI", "devin-cli"},
	{"Antigravity", "antigravity"},
	{"Cursor", "cursor"},
}

func whoseIs(heading string) string {
	for _, of := range whose {
		if rest, ok := strings.CutPrefix(heading, of[0]); ok && (rest == "" || strings.HasPrefix(rest, " ")) {
			return of[1]
		}
	}
	return ""
}

// labels begin the rows of figures.
var labels = func() (all []string) {
	for _, m := range usage.Meters() {
		all = append(all, m.Label+": ")
	}
	return all
}()

// figureless are what stands in place of a figure.
var figureless = []string{"The window has been reset", "The figure could not be read", "likely to run out", "refilled"}

// isFigure reports whether a text is a meter and its figure.
func isFigure(text string) bool {
	return slices.ContainsFunc(labels, func(label string) bool {
		rest, ok := strings.CutPrefix(text, label)
		return ok && !slices.ContainsFunc(figureless, func(f string) bool { return strings.HasPrefix(rest, f) })
	})
}

// begins reports whether a text is one of the lines, or goes on behind it.
func begins(text string, lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		rest, ok := strings.CutPrefix(text, line)
		return ok && (rest == "" || strings.ContainsAny(rest[:1], " ,;") || strings.HasPrefix(rest, "…"))
	})
}

// wrongMenu says which row of a menu no server of its plan had told; "" for none.
func (w *soak) wrongMenu(rows []traytest.MenuEntry) string {
	who, from, now := "", time.Time{}, time.Now()
	for _, row := range rows {
		if !row.Visible {
			continue
		}
		if row.Type == "separator" {
			break
		}
		text := strings.TrimLeftFunc(row.Label, func(r rune) bool { return !unicode.IsLetter(r) })
		switch {
		case !isFigure(text):
			if of := whoseIs(row.Label); of != "" {
				who, from = of, time.Time{}
				if strings.Contains(row.Label, "updated just now") && of != "devin-cli" && of != "cursor" {
					from = now.Add(-time.Minute - freshFor)
				}
			}
		case who == "":
			return "figures below no heading: " + row.Label
		case !w.told.said(who, from, now.Add(time.Second), func(a toldAnswer) bool { return begins(text, a.lines) }):
			return "not told by " + who + ": " + row.Label
		default:
			w.happened(inMenus)
		}
	}
	return ""
}

// wrongTip is wrongMenu for a tooltip.
func (w *soak) wrongTip(tip string) string {
	text, by := tip, slices.Collect(maps.Keys(tellers))
	if of := whoseIs(tip); of != "" {
		if _, rest, ok := strings.Cut(tip, " · "); ok {
			text, by = rest, []string{of}
		}
	}
	if !isFigure(text) {
		return ""
	}
	for _, who := range by {
		if w.told.said(who, time.Time{}, time.Now().Add(time.Second), func(a toldAnswer) bool { return begins(text, a.lines) }) {
			w.happened(inTips)
			return ""
		}
	}
	return "not told: " + tip
}

var shareLeft = regexp.MustCompile(`^(.+: )(\S+) % left(?: · (.*))?$`)

// wrongWarning is wrongMenu for the title of a notification, which has a share.
func (w *soak) wrongWarning(title string) string {
	match := shareLeft.FindStringSubmatch(title)
	if match == nil || !isFigure(title) {
		return ""
	}
	share, err := strconv.ParseFloat(strings.TrimLeft(match[2], "<>"), 64)
	if err != nil {
		return title
	}
	for who := range tellers {
		if match[3] != "" && whoseIs(match[3]) != who {
			continue
		}
		for _, m := range usage.Meters() {
			if m.Label+": " != match[1] {
				continue
			}
			near := func(a toldAnswer) bool {
				told, ok := a.shares[string(m.ID)]
				return ok && told-share < 1.01 && share-told < 1.01
			}
			if w.told.said(who, time.Time{}, time.Now(), near) {
				w.happened(inWarnings)
				return ""
			}
		}
	}
	return "not told: " + title
}

var ratios = regexp.MustCompile(`(?m)^windsock_meter_remaining_ratio\{product="([^"]*)",account="([^"]*)",meter="([^"]*)"\} (\S+)$`)

// wrongMetrics is wrongReport for what Prometheus reads.
func (w *soak) wrongMetrics(s *soakSession, text string) string {
	for _, match := range ratios.FindAllStringSubmatch(text, -1) {
		ratio, err := strconv.ParseFloat(match[4], 64)
		if err != nil {
			return match[0]
		}
		s.mu.Lock()
		owner, known := s.accounts[match[2]]
		s.mu.Unlock()
		told := slices.ContainsFunc(slices.Collect(maps.Keys(tellers)), func(who string) bool {
			if string(tellers[who]) != match[1] || known && owner != who {
				return false
			}
			return w.told.said(who, time.Time{}, time.Now(), func(a toldAnswer) bool {
				share, ok := a.shares[match[3]]
				return ok && share/100-ratio < 0.001 && ratio-share/100 < 0.001
			})
		})
		if !told {
			return "not told: " + match[0]
		}
		w.happened(inMetrics)
	}
	return ""
}

// holds fails the test if something shown is wrong and stays so. What a server has just
// told may not be known here yet.
func (w *soak) holds(t *testing.T, where string, wrong func() string) {
	t.Helper()
	var last string
	for range 5 {
		w.hear(t)
		if last = wrong(); last == "" {
			return
		}
		time.Sleep(300 * time.Millisecond)
	}
	t.Errorf("%s: %s", where, last)
}

// reads looks at all that shows figures, again and again.
func (w *soak) reads(t *testing.T, s *soakSession, until time.Time) {
	t.Helper()
	for time.Now().Before(until) {
		w.hear(t)
		var report shownReport
		if err := s.usage(t, &report); err != nil {
			t.Error(err)
		}
		w.holds(t, s.name+": local API", func() string { return w.wrongReport(s, report) })
		if s.icon {
			w.holds(t, "menu", func() string { return w.wrongMenu(w.item.Menu(t)) })
			w.holds(t, "tooltip", func() string { return w.wrongTip(w.item.ToolTip(t)) })
		}
		w.looks.Add(1)
		time.Sleep(500 * time.Millisecond)
	}
}
