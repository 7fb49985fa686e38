package cloud

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"windsock/probe"
	"windsock/probe/say"
	"windsock/probe/terminal"
)

// writeJSON writes schema 1.
func writeJSON(out io.Writer, all []Listed) error {
	type source struct {
		Name    string  `json:"name"`
		Host    *string `json:"host"` // null where it stands in a sign-in that is not allowed
		File    string  `json:"file"`
		Allowed bool    `json:"allowed"`
		State   string  `json:"state"`
	}
	whole := struct {
		Schema  int      `json:"schema"`
		Sources []source `json:"sources"`
	}{1, []source{}}
	for _, l := range all {
		s := source{l.Name, &l.Host, l.File, l.Allowed, l.State}
		if l.Host == "" {
			s.Host = nil
		}
		whole.Sources = append(whole.Sources, s)
	}
	if err := terminal.WriteJSON(out, whole); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

const (
	nothingThere = "There is no sign-in on this computer that Windsock could ask with.\n"
	howToAllow   = "This list opened no sign-in and asked nothing. `windsock cloud allow NAME` says what it means to allow one, and asks; `windsock cloud deny NAME` ends it."
)

// text is the list for people. It leaves out what is neither allowed nor there.
func (p Parts) text(all []Listed, width int) string {
	var b strings.Builder
	for _, l := range all {
		there := l.There()
		if !l.Allowed && !there {
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", l.Name, p.state(l))
		if l.Last.Failed != nil {
			field(&b, "why", say.Sentence(l.Last.Failed.Err(), "it is not known"), width)
		}
		field(&b, "for", purpose(l.Source), width)
		field(&b, "with", "the sign-in of "+l.App, width)
		file := l.File
		if !there {
			file += ", which is not there"
		}
		field(&b, "in", file, 0)
		field(&b, "at", cmp.Or(l.Host, "the host that stands in the sign-in, shown before you agree"), width)
		b.WriteByte('\n')
	}
	if b.Len() == 0 {
		return nothingThere
	}
	b.WriteString(ansi.Wrap(howToAllow, width, "") + "\n")
	return b.String()
}

// purpose says what a source is asked for.
func purpose(s Source) string {
	if s.Product == probe.Windsurf {
		return "what is left of the Windsurf plan, while no editor answers"
	}
	return "what is left of the Cursor plan"
}

// state words whether a source may be asked, and what came of it.
func (p Parts) state(l Listed) string {
	last, now := l.Last, p.Now()
	switch {
	case !l.Allowed:
		return "off"
	case last.Failed != nil && last.Answer != nil:
		return "allowed; no answer " + p.Ago(now.Sub(last.Asked)) + ", the last one " + p.Ago(now.Sub(last.At))
	case last.Failed != nil:
		return "allowed; no answer " + p.Ago(now.Sub(last.Asked))
	case last.Answer != nil:
		return "allowed; last answer " + p.Ago(now.Sub(last.At))
	case !last.Asked.IsZero(): // it is asked now, or its process has died
		return "allowed; asked " + p.Ago(now.Sub(last.Asked)) + ", without a result yet"
	default:
		return "allowed; not asked yet"
	}
}

// field writes a labelled text; with a width, in lines of that.
func field(b *strings.Builder, label, text string, width int) {
	const indent = "        "
	if width > 0 {
		text = strings.ReplaceAll(ansi.Wrap(text, max(width-len(indent), 20), ""), "\n", "\n"+indent)
	}
	fmt.Fprintf(b, "  %-6s%s\n", label, text)
}

// defaultWidth is the number of columns without a terminal.
const defaultWidth = 80
