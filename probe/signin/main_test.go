package signin

import (
	"os"
	"runtime/debug"
	"testing"
)

// What descends as deep as somebody else's text asks for ends here, and not at the
// gigabyte that a real process may take.
func TestMain(m *testing.M) {
	debug.SetMaxStack(16 << 20)
	os.Exit(m.Run())
}
