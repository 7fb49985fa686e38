package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"windsock/chat"
	"windsock/probe/terminal"
)

// screenMode says what is shown beside the complete answer.
type screenMode struct {
	stream bool // as it grows, even if out is no terminal
	silent bool // no answer: the caller writes it
}

// screen shows an answer on out, as it grows if that is a terminal, and the progress
// on err, if that is one.
type screen struct {
	out, err  io.Writer
	mode      screenMode
	live      bool // the answer is shown as it grows
	drawable  bool // out is a terminal, so its text can be erased
	watched   bool // err is a terminal
	width     int
	height    int
	shown     strings.Builder // the text on out
	working   bool            // a progress line is on err
	failed    error           // of a write; the first one
	rewritten bool
}

func newScreen(out, err io.Writer, mode screenMode) *screen {
	s := &screen{out: out, err: err, mode: mode, drawable: terminal.Is(out), watched: terminal.Is(err)}
	s.live = !mode.silent && (s.drawable || mode.stream)
	if s.width, s.height = terminal.Size(out); s.width == 0 {
		s.width, s.height = 80, 24
	}
	s.work("waiting for the answer…")
	return s
}

// show takes in one event.
func (s *screen) show(e chat.Event) {
	switch e.Kind {
	case chat.Works:
		s.work(terminal.Line(e.Text))
	case chat.Grows:
		if s.live {
			s.clear()
			s.write(e.Text)
		}
	case chat.Changes:
		s.rewritten = true
		if s.live {
			s.clear()
			s.redraw(e.Text)
		}
	}
}

// redraw erases the answer and writes it anew. If it cannot be erased, a line declares
// it void.
func (s *screen) redraw(text string) {
	old := s.shown.String()
	s.shown.Reset()
	rows := strings.Count(ansi.Hardwrap(s.expand(harmless(old)), s.width, true), "\n")
	if s.drawable && rows < s.height-1 {
		up := "\r"
		if rows > 0 {
			up += ansi.CursorUp(rows)
		}
		s.put(up + ansi.EraseScreenBelow)
		s.write(text)
		return
	}
	s.say("windsock: the server has written the answer anew; what follows takes the place of what is above")
	if old != "" {
		s.put("\n\n")
	}
	s.write(text)
}

// expand replaces tabs by spaces as a terminal does: up to the next column of eight,
// and not beyond the line's last.
func (s *screen) expand(text string) string {
	var b strings.Builder
	column := 0
	for _, r := range text {
		n := ansi.StringWidth(string(r))
		switch r {
		case '\n':
			column = 0
			b.WriteRune(r)
		case '\t':
			n = max(0, min(8-column%8, s.width-1-column))
			b.WriteString(strings.Repeat(" ", n))
			column += n
		default:
			if column+n > s.width {
				column = 0
			}
			column += n
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (s *screen) write(text string) {
	s.shown.WriteString(text)
	if s.drawable {
		text = harmless(text)
	}
	s.put(text)
}

func (s *screen) put(text string) {
	if _, err := io.WriteString(s.out, text); err != nil && s.failed == nil {
		s.failed = err
	}
}

// work shows what the model is doing, in a line that is erased again. It shows nothing
// while an answer grows on the same screen.
func (s *screen) work(words string) {
	if !s.watched || s.drawable && s.shown.Len() > 0 {
		return
	}
	line := ansi.NewStyle().Faint().Styled(ansi.Truncate(words, s.width-1, "…"))
	_, _ = fmt.Fprint(s.err, "\r"+line+ansi.EraseLineRight) // the answer goes on without
	s.working = true
}

// clear erases the progress line.
func (s *screen) clear() {
	if s.working {
		_, _ = fmt.Fprint(s.err, "\r"+ansi.EraseLineRight)
		s.working = false
	}
}

func (s *screen) say(line string) {
	s.clear()
	_, _ = fmt.Fprintln(s.err, line) // the answer goes on without
}

// end writes the rest of the answer, and its cost.
func (s *screen) end(a chat.Answer, m chat.Model, failed error) error {
	s.clear()
	if !s.live && !s.mode.silent && a.Text != "" && failed == nil {
		s.write(a.Text)
	}
	if text := s.shown.String(); text != "" && !strings.HasSuffix(text, "\n") {
		s.put("\n")
	}
	if failed == nil && a.ToolOnly {
		s.say("windsock: the model used tools and gave no text")
	}
	if failed == nil && a.Text == "" && !a.ToolOnly {
		s.say("windsock: the answer has no text")
	}
	if s.watched && failed == nil {
		words := []string{m.Label, chat.Took(a.Duration), a.CostWords()}
		if chat.IsAgent(a.Engine) {
			words = slices.Insert(words, 1, a.Engine)
		}
		_, _ = fmt.Fprintln(colorprofile.NewWriter(s.err, os.Environ()), ansi.NewStyle().Faint().Styled(strings.Join(words, " · ")))
	}
	s.left(a)
	return s.failed
}

// left says what remains of the conversation.
func (s *screen) left(a chat.Answer) {
	agent := chat.IsAgent(a.Engine)
	switch {
	case a.Left == chat.LeftForGood && agent:
		s.say("windsock: the agent did not delete the conversation; it stays in its own list")
	case a.Left == chat.LeftForNow && agent:
		s.say("windsock: the agent has not deleted the conversation yet; it will be asked again after a later prompt")
	case a.Left == chat.LeftForGood:
		s.say("windsock: the cascade could not be archived; it stays in the editor's list")
	case a.Left == chat.LeftForNow:
		s.say("windsock: the cascade could not be archived yet; it will be when Windsock runs next")
	}
}

// harmless removes the characters of an answer that a terminal would act on, and makes
// visible those that would make it read differently. It looks at each character alone,
// so the pieces of an answer may be cut anywhere.
func harmless(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case deceives(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		case r == '\n' || r == '\t' || !unicode.IsControl(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// deceives reports an invisible character, or one that changes the direction of
// others. The two joiners, which emoji and several scripts need, do not count.
func deceives(r rune) bool {
	switch {
	case r == '\u061c', r == '\u200b', r == '\u200e', r == '\u200f', r == '\ufeff',
		'\u202a' <= r && r <= '\u202e', '\u2060' <= r && r <= '\u2064', '\u2066' <= r && r <= '\u2069':
		return true
	default:
		return false
	}
}
