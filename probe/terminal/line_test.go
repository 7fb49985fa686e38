package terminal

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"plain", "Teams", "Teams"},
		{"blanks", "  Pro \t Max ", "Pro Max"},
		{"blank", " \u00a0\u2003", ""},
		{"newlines", "Pro\r\nMax\u2028Ultra\vX", "Pro Max Ultra X"},
		{"colour", "\x1b[31mPro\x1b[0m", "Pro"},
		{"title_sequence", "\x1b]0;owned\x07Pro", "Pro"},
		{"c1_sequence", "P\u009b31mro\u0085", "Pro"},
		{"c1_title_sequence", "P\u009d0;owned\u009cro", "Pro"},
		{"cut_off_sequence", "Pro\x1b[31", "Pro"},
		{"no_utf8", "P\xffr\xc3o", "Pro"},
		{"right_to_left_override", "Pro\u202e evil\u2066", "Pro evil"},
		{"zero_width", "P\u200br\ufeffo", "Pro"},
		{"right_to_left", "צוות", "צוות"},
		{"joined_emoji", "👩\u200d💻", "👩\u200d💻"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Line(tt.text); got != tt.want {
				t.Errorf("%q is %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func FuzzShort(f *testing.F) {
	for _, seed := range []string{
		"Fix it", "\x1b]0;x\x07a", "\x1b[31", "a\x9bb", "\xc2\x1b\x9b", "é\u202e", "e\u0301 \u200d", strings.Repeat("x", 300),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, shown := range []func(string) string{Line, Short} {
			got := shown(text)
			if !utf8.ValidString(got) || got != strings.Join(strings.Fields(got), " ") {
				t.Errorf("%q: got %q", text, got)
			}
			for _, r := range got {
				if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' {
					t.Errorf("%q: got %q", text, got)
				}
			}
			if again := shown(got); again != got {
				t.Errorf("%q: %q becomes %q", text, got, again)
			}
		}
		if got := utf8.RuneCountInString(Short(text)); got > 200 {
			t.Errorf("%q: %d characters", text, got)
		}
	})
}
