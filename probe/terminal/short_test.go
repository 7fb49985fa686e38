package terminal_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"windsock/probe/terminal"
)

func FuzzShort(f *testing.F) {
	for _, seed := range []string{"Fix it", "\x1b]0;x\x07a", "\x1b[31", "a\x9bb", "\xc2\x1b\x9b", "é\u202e", strings.Repeat("x", 300)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := terminal.Short(text)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > 200 || got != strings.TrimSpace(got) {
			t.Errorf("%q: got %q", text, got)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' {
				t.Errorf("%q: got %q", text, got)
			}
		}
		if again := terminal.Short(got); again != got {
			t.Errorf("%q: %q becomes %q", text, got, again)
		}
	})
}
