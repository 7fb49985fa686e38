package usage

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/tidwall/gjson"
)

// maxName is longer than any plan's name and short enough for a menu's memory.
const maxName = 100

// planName is the name in a PlanInfo or a cache, "" when it is none.
func planName(info gjson.Result) string {
	v := info.Get("planName")
	if v.Type != gjson.String {
		return ""
	}
	return cleanName(v.Str)
}

// cleanName makes a name from outside fit for one line, and no endless one.
func cleanName(name string) string {
	name = oneLine(name)
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName-1]) + "…"
	}
	return name
}

// oneLine makes a text from outside fit for one line of a terminal, a menu or a
// log: no escape sequences, no control characters, nothing that turns the
// direction of what follows, and blanks made single.
func oneLine(text string) string {
	text = strings.ToValidUTF8(text, "�")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.Is(unicode.Cc, r) || turnsDirection(r):
			return -1
		default:
			return r
		}
	}, ansi.Strip(text))
	return strings.Join(strings.Fields(text), " ")
}

// turnsDirection reports format characters other than the two joiners, which
// emoji and several scripts need.
func turnsDirection(r rune) bool {
	return unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d'
}
