package probe

import (
	"os"
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
	for _, name := range lifters {
		if err := os.Unsetenv(name); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
