package terminal

import (
	"testing"

	"windsock/probe/probetest"
)

func TestTerminal(t *testing.T) {
	t.Parallel()
	terminal, _ := probetest.Terminal(t, 100, 30)
	if columns, lines := Size(terminal); !Is(terminal) || columns != 100 || lines != 30 {
		t.Errorf("terminal: %t, %d by %d, want 100 by 30", Is(terminal), columns, lines)
	}
	if got := Width(terminal, none); got != 100 {
		t.Errorf("width %d, want 100", got)
	}
	if got := Width(terminal, func(string) (string, bool) { return "40", true }); got != 40 {
		t.Errorf("with COLUMNS: width %d, want 40", got)
	}
	silent, _ := probetest.Terminal(t, 0, 0)
	if got := Width(silent, none); !Is(silent) || got != 0 {
		t.Errorf("of a terminal without a size: %t, width %d", Is(silent), got)
	}
}
