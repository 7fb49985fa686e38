package status

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"windsock/usage/words"
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
		case !slices.Contains([]string{"[fg=brightwhite,bg=red", "[fg=black,bg=yellow", "[fg=default,bg=default"}, style):
			tb.Fatalf("style %q in %q", style, output)
		}
		rest = after
	}
	return text.String()
}

func TestTmuxWithoutColour(t *testing.T) {
	t.Parallel()
	for _, c := range formatCases {
		coloured, plain := writeTmux(alone(c.state(t)), words.Words{}, true), writeTmux(alone(c.state(t)), words.Words{}, false)
		if strings.Contains(plain, "#[") {
			t.Errorf("%s: a style in %q", c.name, plain)
		}
		if got, want := readTmux(t, coloured), readTmux(t, plain); got != want {
			t.Errorf("%s: %q in colour, %q without", c.name, got, want)
		}
	}
}

// A style sets both colours, with enough contrast (4.5 to 1, as WCAG asks) on any bar.
func TestTmuxColoursCanBeRead(t *testing.T) {
	t.Parallel()
	palettes := map[string]map[string]string{
		"xterm": {"black": "#000000", "red": "#cd0000", "yellow": "#cdcd00", "brightwhite": "#ffffff"},
		"VGA":   {"black": "#000000", "red": "#aa0000", "yellow": "#aaaa00", "brightwhite": "#ffffff"},
	}
	for tone, style := range tmuxStyles {
		fg, bg, both := strings.Cut(style, ",")
		fg, isFg := strings.CutPrefix(fg, "fg=")
		bg, isBg := strings.CutPrefix(bg, "bg=")
		if !both || !isFg || !isBg {
			t.Fatalf("tone %v has the style %q", tone, style)
		}
		for name, palette := range palettes {
			lighter, darker := luminance(t, palette[fg]), luminance(t, palette[bg])
			if darker > lighter {
				lighter, darker = darker, lighter
			}
			if contrast := (lighter + 0.05) / (darker + 0.05); contrast < 4.5 {
				t.Errorf("%s has a contrast of %.1f with the palette of %s", style, contrast, name)
			}
		}
	}
}
