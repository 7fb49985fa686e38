package status

import (
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"windsock/usage/poll"
	"windsock/usage/words"
)

// xbarSeen is a line of an output as xbar and SwiftBar read it.
type xbarSeen struct {
	text       string
	parameters map[string]string
}

var (
	xbarHex   = regexp.MustCompile(`^#[0-9a-f]{6}$`)
	xbarEmoji = regexp.MustCompile(`:[^ :]*:`)
)

// readXbar reads an output by the rules that both programs share, and rejects what one
// of them reads differently: for xbar an unknown parameter, two colours or a backslash;
// for SwiftBar an empty line; for both a submenu or an emoji.
func readXbar(tb testing.TB, all poll.Plans, output string) (title xbarSeen, menu []xbarSeen) {
	tb.Helper()
	output, ended := strings.CutSuffix(output, "\n")
	if !ended {
		tb.Fatalf("no line break at the end of %q", output)
	}
	lines := strings.Split(output, "\n")
	if len(lines) < 3 || lines[1] != "---" {
		tb.Fatalf("not one line for the menu bar: %q", output)
	}
	title = readXbarLine(tb, lines[0])
	for i, line := range lines[2:] {
		if line == "---" {
			if lines[i+1] == "---" || i+3 == len(lines) {
				tb.Fatalf("separators without lines between them: %q", output)
			}
			continue
		}
		menu = append(menu, readXbarLine(tb, line))
	}
	for _, s := range all {
		for _, l := range (words.Words{}).Lines(s.Snapshot) {
			if !slices.ContainsFunc(menu, func(line xbarSeen) bool { return strings.Contains(line.text, l.Label+": ") }) {
				tb.Fatalf("no %s in %q", l.Label, output)
			}
		}
	}
	return title, menu
}

func readXbarLine(tb testing.TB, line string) xbarSeen {
	tb.Helper()
	text, rest, _ := strings.Cut(line, "|")
	seen := xbarSeen{text: strings.TrimSpace(text), parameters: map[string]string{}}
	if seen.text == "" || strings.HasPrefix(seen.text, "-") || strings.Contains(text, `\`) || xbarEmoji.MatchString(text) ||
		strings.ContainsFunc(line, unicode.IsControl) || strings.ContainsAny(line, "\u2028\u2029") {
		tb.Fatalf("text of %q", line)
	}
	for p := range strings.FieldsSeq(rest) {
		name, value, _ := strings.Cut(p, "=")
		ok := false
		switch name {
		case "color":
			ok = xbarHex.MatchString(value)
		case "refresh":
			ok = value == "true"
		case "href":
			u, err := url.Parse(value)
			ok = err == nil && u.Scheme == "https"
		}
		if _, twice := seen.parameters[name]; twice || !ok {
			tb.Fatalf("parameter %q of %q", p, line)
		}
		seen.parameters[name] = value
	}
	return seen
}

// TestXbarColours checks for a contrast of 3.5 to 1 on light and dark menus.
func TestXbarColours(t *testing.T) {
	t.Parallel()
	for tone, colour := range xbarColours {
		for _, menu := range []string{"#ffffff", "#1e1e1e"} {
			lighter, darker := luminance(t, colour), luminance(t, menu)
			if darker > lighter {
				lighter, darker = darker, lighter
			}
			if contrast := (lighter + 0.05) / (darker + 0.05); contrast < 3.5 {
				t.Errorf("tone %d, %s on %s: contrast %.2f", tone, colour, menu, contrast)
			}
		}
	}
}

// luminance is a colour's, as WCAG 2 defines it.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(strings.TrimPrefix(colour, "color=")[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
