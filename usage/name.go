package usage

import (
	"github.com/tidwall/gjson"

	"windsock/probe/terminal"
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
	name = terminal.Line(name)
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName-1]) + "…"
	}
	return name
}
