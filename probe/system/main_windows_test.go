package system

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
	os.Exit(m.Run())
}
