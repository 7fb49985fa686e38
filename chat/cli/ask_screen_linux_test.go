package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/term"

	"windsock/chat"
	"windsock/probe/probetest"
)

// openTerminal opens a pseudoterminal of 20 columns and 6 lines, which passes on
// output unchanged. seen closes it and returns the output.
func openTerminal(t *testing.T) (terminal *os.File, seen func() string) {
	t.Helper()
	terminal, master := probetest.Terminal(t, 20, 6)
	if _, err := term.MakeRaw(int(terminal.Fd())); err != nil {
		t.Fatal(err)
	}
	return terminal, func() string {
		_ = terminal.Close()
		text, err := io.ReadAll(master)
		if err != nil && !errors.Is(err, syscall.EIO) { // which is how it ends
			t.Error(err)
		}
		return string(text)
	}
}

func grows(text string) chat.Event { return chat.Event{Kind: chat.Grows, Text: text} }

func changes(text string) chat.Event { return chat.Event{Kind: chat.Changes, Text: text} }

// TestScreen: the output for an answer on a terminal.
func TestScreen(t *testing.T) {
	t.Parallel()
	const up, below = "\x1b[A", "\x1b[J"
	tests := []struct {
		name   string
		events []chat.Event
		want   string
		notes  string
	}{
		{"grows", []chat.Event{grows("one "), grows("two")}, "one two\n", ""},
		{"ends_its_line", []chat.Event{grows("one\n")}, "one\n", ""},
		{"escapes", []chat.Event{grows("a\x1b[31mb\x07c\rd\be\x7f\u009b1mf\ttab\n")}, "a[31mbcde1mf\ttab\n", ""},
		{"an_escape_in_two_pieces", []chat.Event{grows("a\x1b"), grows("]0;title\a")}, "a]0;title\n", ""},
		{
			"what_deceives",
			[]chat.Event{grows("\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff")},
			"⟨U+061C⟩⟨U+200B⟩⟨U+200E⟩⟨U+200F⟩⟨U+202A⟩⟨U+202B⟩⟨U+202C⟩⟨U+202D⟩⟨U+202E⟩⟨U+2060⟩⟨U+2061⟩⟨U+2062⟩⟨U+2063⟩⟨U+2064⟩" +
				"⟨U+2066⟩⟨U+2067⟩⟨U+2068⟩⟨U+2069⟩⟨U+FEFF⟩\n", "",
		},
		{"what_deceives_in_pieces", []chat.Event{grows("if admin \u202e"), grows("\u2066// nothing\u2069")}, "if admin ⟨U+202E⟩⟨U+2066⟩// nothing⟨U+2069⟩\n", ""},
		{"what_is_needed", []chat.Event{grows("👩\u200d💻 می\u200cخواهم עברית")}, "👩\u200d💻 می\u200cخواهم עברית\n", ""},
		{"written_anew", []chat.Event{grows("one\ntwo"), changes("three")}, "one\ntwo\r" + up + below + "three\n", ""},
		{"written_anew_in_one_line", []chat.Event{grows("one"), changes("two")}, "one\r" + below + "two\n", ""},
		{"written_anew_where_it_wraps", []chat.Event{grows("twenty-one characters"), changes("x")}, "twenty-one characters\r" + up + below + "x\n", ""},
		{"written_anew_where_it_wraps_by_wide_ones", []chat.Event{grows("로그인로그인로그인로"), changes("x"), grows("로그인로그인로그인로그"), changes("y")}, "로그인로그인로그인로\r" + below + "x로그인로그인로그인로그\r" + up + below + "y\n", ""},
		{
			"written_anew_where_it_wraps_by_what_is_shown",
			[]chat.Event{grows("thirteen-long\u202e"), changes("x")},
			"thirteen-long⟨U+202E⟩\r" + up + below + "x\n", "",
		},
		{"written_anew_behind_tabs", []chat.Event{grows("\t\t\tx"), changes("\t\t\txy"), changes("z")}, "\t\t\tx\r" + below + "\t\t\txy\r" + up + below + "z\n", ""},
		{
			"written_anew_beyond_the_screen",
			[]chat.Event{grows("1\n2\n3\n4\n5\n6"), changes("x")},
			"1\n2\n3\n4\n5\n6\n\nx\n", "windsock: the server has written the answer anew; what follows takes the place of what is above\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			terminal, seen := openTerminal(t)
			var notes bytes.Buffer
			s := newScreen(terminal, &notes, screenMode{})
			text := ""
			for _, e := range tt.events {
				if e.Kind == chat.Changes {
					text = ""
				}
				text += e.Text
				s.show(e)
			}
			if err := s.end(chat.Answer{Text: text}, chat.Model{}, nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, seen()) + cmp.Diff(tt.notes, notes.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestScreenOfWork: the line about the work goes before the answer comes, and does not
// come back into it.
func TestScreenOfWork(t *testing.T) {
	t.Parallel()
	terminal, seen := openTerminal(t)
	s := newScreen(terminal, terminal, screenMode{})
	s.show(chat.Event{Kind: chat.Works, Text: "view \u202efile…"})
	s.show(grows("one"))
	s.show(chat.Event{Kind: chat.Works, Text: "find…"})
	s.show(grows(" two"))
	if err := s.end(chat.Answer{Text: "one two"}, chat.Model{}, errors.New("it failed")); err != nil {
		t.Fatal(err)
	}
	line := func(words string) string { return "\r\x1b[2m" + words + "\x1b[m\x1b[K" }
	want := line("waiting for the an…") + line("view file…") + "\r\x1b[Kone two\n"
	if diff := cmp.Diff(want, seen()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestScreenElsewhere: any other output gets the answer verbatim.
func TestScreenElsewhere(t *testing.T) {
	t.Parallel()
	const answer = "a\x1b[31mb\u202ec\u200bd\r\n"
	for _, stream := range []bool{false, true} {
		t.Run(fmt.Sprintf("stream_%t", stream), func(t *testing.T) {
			t.Parallel()
			var out, notes strings.Builder
			s := newScreen(&out, &notes, screenMode{stream: stream})
			s.show(grows(answer[:3]))
			s.show(grows(answer[3:]))
			if err := s.end(chat.Answer{Text: answer}, chat.Model{}, nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(answer, out.String()) + cmp.Diff("", notes.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
