package probe

import (
	"os"
	"runtime/debug"
	"testing"

	"windsock/probe/simulator"
)

// The test binary plays the language server of tests that start one.
func TestMain(m *testing.M) {
	if simulator.IsServer(os.Args[0]) {
		simulator.Main()
		return
	}
	// The tests must not depend on how root was obtained.
	for _, name := range sudoVariables {
		if err := os.Unsetenv(name); err != nil {
			panic(err)
		}
	}
	// A recursion as deep as a foreign text demands ends here, and not at the gigabyte
	// that a real process may take.
	debug.SetMaxStack(16 << 20)
	os.Exit(m.Run())
}
