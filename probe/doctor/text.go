package doctor

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// The marks and their styles. Each mark also says what its colour says.
var (
	markOK     = ansi.NewStyle().ForegroundColor(ansi.Green).Styled("✓")
	markFailed = ansi.NewStyle().ForegroundColor(ansi.Red).Styled("✗")
	markAbsent = ansi.NewStyle().Faint().Styled("–")
	heading    = ansi.NewStyle().Bold()
	faint      = ansi.NewStyle().Faint()
)

// Text is a diagnosis for people, to be read and to be pasted into a report. Its lines
// have at most width columns where words allow, and escape sequences for colours. It
// ends with a line break.
func (d Doctor) Text(g Diagnosis, width int) string {
	t := diagnosisText{width: width, verdict: g.Verdict}
	for _, s := range g.Steps {
		t.column = max(t.column, len(s.Name)+2)
	}
	t.line(fmt.Sprintf("Windsock %s, %s/%s, %s", d.Version, runtime.GOOS, runtime.GOARCH, runtime.Version()))
	section := ""
	for _, s := range g.Steps {
		if missing(g.Steps, s.Variant) {
			if !slices.Contains(t.missing, s.app) {
				t.missing = append(t.missing, s.app)
			}
			continue
		}
		if s.Variant == "" {
			t.tellMissing()
		}
		title := s.app
		if s.Variant == "" {
			title = "This computer"
		}
		switch {
		case title != section:
			section = title
			t.line("")
			t.line(heading.Styled(title))
		case s.Name == stepProcess: // another process
			t.line("")
		}
		t.step(s)
	}
	t.tellMissing()
	t.line("")
	t.paragraph(t.verdict, "", "")
	return strings.Join(t.lines, "\n") + "\n"
}

// missing reports whether a variant has neither a process nor data on disk.
func missing(steps []Step, variant string) bool {
	return variant != "" && !slices.ContainsFunc(steps, func(s Step) bool { return s.Variant == variant && !s.Absent })
}

// diagnosisText is a text in progress.
type diagnosisText struct {
	lines         []string
	width, column int
	verdict       string
	missing       []string
}

func (t *diagnosisText) line(text string) { t.lines = append(t.lines, text) }

// figure is a number before its unit.
var figure = regexp.MustCompile(`(\d) (ms|s|min|h|days|[kMG]?B)\b`)

// noBreak is a blank at which a text is not wrapped.
const noBreak = "\u00a0"

// paragraph wraps a text. The first line begins with first, the others with indent. A
// number stays on one line with its unit.
func (t *diagnosisText) paragraph(text, first, indent string) {
	wrapped := ansi.Wrap(figure.ReplaceAllString(text, "$1"+noBreak+"$2"), max(t.width-ansi.StringWidth(indent), 20), "")
	wrapped = strings.ReplaceAll(wrapped, noBreak, " ") // a reader may search for the text
	t.line(first + strings.ReplaceAll(wrapped, "\n", "\n"+indent))
}

func (t *diagnosisText) step(s Step) {
	mark := markFailed
	switch {
	case s.OK:
		mark = markOK
	case s.Absent:
		mark = markAbsent
	}
	label := strings.ReplaceAll(s.Name, "_", " ")
	indent := strings.Repeat(" ", len("  ✓ ")-len("✓")+1+t.column)
	text := s.Finding
	if s.Duration >= time.Millisecond {
		text += faint.Styled(fmt.Sprintf(" (%d ms)", s.Duration.Milliseconds()))
	}
	t.paragraph(text, "  "+mark+" "+label+strings.Repeat(" ", t.column-len(label)), indent)
	if s.Cure != "" && !strings.Contains(t.verdict, s.Cure) { // it is there already
		t.paragraph("→ "+s.Cure, indent, indent+"  ")
	}
}

func (t *diagnosisText) tellMissing() {
	if len(t.missing) > 0 {
		t.line("")
		t.paragraph("Not running: "+strings.Join(t.missing, ", "), "", "")
		t.missing = nil
	}
}
