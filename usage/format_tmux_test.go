package usage

import (
	"strings"
	"testing"
	"unicode"
)

// readTmux is the text that tmux draws for a format without variables.
func readTmux(tb testing.TB, output string) string {
	tb.Helper()
	line, ended := strings.CutSuffix(output, "\n")
	if !ended || line == "" || strings.ContainsFunc(line, unicode.IsControl) {
		tb.Fatalf("not one line: %q", output)
	}
	var text strings.Builder
	for rest := line; rest != ""; {
		before, after, found := strings.Cut(rest, "#")
		text.WriteString(before)
		if !found {
			break
		}
		if after, found = strings.CutPrefix(after, "#"); found {
			text.WriteString("#")
			rest = after
			continue
		}
		style, after, closed := strings.Cut(after, "]")
		switch {
		case !closed:
			tb.Fatalf("a lone # in %q", output)
		case style != "[fg=red" && style != "[fg=yellow" && style != "[fg=default":
			tb.Fatalf("style %q in %q", style, output)
		}
		rest = after
	}
	return text.String()
}

func TestTmuxWithoutColour(t *testing.T) {
	t.Parallel()
	for _, c := range formatCases {
		coloured, plain := writeTmux(c.state(t), Words{}, true), writeTmux(c.state(t), Words{}, false)
		if strings.Contains(plain, "#[") {
			t.Errorf("%s: a style in %q", c.name, plain)
		}
		if got, want := readTmux(t, coloured), readTmux(t, plain); got != want {
			t.Errorf("%s: %q in colour, %q without", c.name, got, want)
		}
	}
}
