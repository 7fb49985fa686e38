package cascade

import (
	"strings"

	"windsock/probe/terminal"
)

// stepWords words a step's type, as "view file…".
func stepWords(step string) string {
	name := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(step, "CORTEX_STEP_TYPE_"), "_", " "))
	if name == "" {
		return "working…"
	}
	return terminal.Short(name) + "…"
}
