package e2e

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"windsock/probe"
	"windsock/probe/simulator"
	"windsock/tray/app"
)

// pidsFile is the variable that names the file with the processes that a
// script has started. Windsock sees no others there, so that neither a
// developer's own editor nor another script's servers get into a test.
const pidsFile = "WINDSOCK_TEST_PIDS"

// testInterval is the variable that says how often the app asks, which is more
// often than the configuration lets it.
const testInterval = "WINDSOCK_TEST_INTERVAL"

// testAhead is the variable that says by how much the clock of the commands is
// ahead.
const testAhead = "WINDSOCK_TEST_AHEAD"

// testGauges is the variable with the name of the file into which the app writes
// figures that only its runtime knows.
const testGauges = "WINDSOCK_TEST_GAUGES"

// writeGauges writes the number of goroutines and the bytes in use, again and again.
// After a large answer the next garbage collection may be two minutes off, so it runs
// one first: unreferenced memory is no leak.
func writeGauges(file string) {
	samples := []metrics.Sample{{Name: "/sched/goroutines:goroutines"}, {Name: "/gc/heap/live:bytes"}}
	for range time.Tick(250 * time.Millisecond) {
		runtime.GC()
		metrics.Read(samples)
		text := fmt.Sprintln(samples[0].Value.Uint64(), samples[1].Value.Uint64())
		if os.WriteFile(file+".new", []byte(text), 0o600) == nil {
			_ = os.Rename(file+".new", file) // after a failure, readers see that the file stays as it was
		}
	}
}

func TestMain(m *testing.M) {
	if simulator.IsServer(os.Args[0]) {
		simulator.Main()
		return
	}
	// Most tests wait, for the app's own pauses and for programs, so that more of
	// them run at once than there are processors. -parallel has the last word.
	if err := flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	testscript.Main(tidying{m}, map[string]func(){"windsock": func() {
		interval, _ := time.ParseDuration(os.Getenv(testInterval))
		if file := os.Getenv(testGauges); file != "" {
			go writeGauges(file) // ends with the process
		}
		ahead, _ := time.ParseDuration(os.Getenv(testAhead))
		os.Exit(app.Main(app.Options{
			NewFinder: scriptFinder, Interval: interval,
			Now: func() time.Time { return time.Now().Add(ahead) },
		}))
	}})
}

// tidying removes what the tests have made for each other.
type tidying struct{ *testing.M }

func (t tidying) Run() int {
	defer removeBuilds()
	return t.M.Run()
}

// scriptFinder makes a Finder that sees the script's own servers.
func scriptFinder(options ...probe.Option) *probe.Finder {
	only := probe.WithProcesses(func(pid int) bool {
		data, err := os.ReadFile(os.Getenv(pidsFile))
		return err == nil && slices.Contains(strings.Fields(string(data)), strconv.Itoa(pid))
	})
	return probe.NewFinder(append([]probe.Option{only}, options...)...)
}
