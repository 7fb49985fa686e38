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
	// How root runs the tests is nothing to them.
	for _, name := range sudoVariables {
		if err := os.Unsetenv(name); err != nil {
			panic(err)
		}
	}
	// What descends as deep as somebody else's text asks for ends here, and not at
	// the gigabyte that a real process may take.
	debug.SetMaxStack(16 << 20)
	os.Exit(m.Run())
}
