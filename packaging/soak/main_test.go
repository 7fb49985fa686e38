package main

import (
	"os"
	"testing"
	"time"

	"windsock/probe/simulator"
)

func TestMain(m *testing.M) {
	if simulator.IsServer(os.Args[0]) {
		simulator.Main()
		return
	}
	os.Exit(m.Run())
}

// short is a soak that a test has time for. Everything happens, so that what comes
// back and what is left over is as good a proof as in a long one; how much the app
// holds is less of one.
var short = options{length: 25 * time.Second, warmUp: 7 * time.Second, every: time.Second, seed: 1, slack: 3}
