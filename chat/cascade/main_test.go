package cascade

import (
	"os"
	"testing"

	"windsock/probe/simulator"
)

func TestMain(m *testing.M) {
	if simulator.IsServer(os.Args[0]) {
		simulator.Main()
		return
	}
	os.Exit(m.Run())
}
