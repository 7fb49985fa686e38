package signin

import (
	"os"
	"runtime/debug"
	"testing"
)

// A recursion as deep as a foreign text demands ends here, and not at the gigabyte that
// a real process may take.
func TestMain(m *testing.M) {
	debug.SetMaxStack(16 << 20)
	os.Exit(m.Run())
}
