package usage

import "windsock/probe/terminal"

// maxName is longer than any plan's name and short enough for a menu's memory.
const maxName = 100

// CleanName makes a name from outside fit for one line, and no endless one.
func CleanName(name string) string {
	name = terminal.Line(name)
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName-1]) + "…"
	}
	return name
}
