//go:build soak && linux

package app

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"windsock/probe"
)

// Only packaging/soak builds with this file: the app as it is, but that it asks
// every second, sees the processes that are listed in a file and no others, and
// writes on SIGUSR1 what nobody but the runtime knows of it.
const (
	soakPIDs   = "WINDSOCK_SOAK_PIDS"
	soakGauges = "WINDSOCK_SOAK_GAUGES"
)

// It takes main's place, which so knows nothing of it.
//
//nolint:gochecknoinits // see above
func init() {
	pids := os.Getenv(soakPIDs)
	if pids == "" {
		return
	}
	if file := os.Getenv(soakGauges); file != "" {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGUSR1)
		go func() { // ends with the process
			for nth := 1; ; nth++ {
				<-asked
				_ = writeGauges(file, nth) // who asks waits for it, and says that it does not come
			}
		}()
	}
	os.Exit(live(surroundings{
		newFinder: func(options ...probe.Option) *probe.Finder {
			only := probe.WithProcesses(func(pid int) bool {
				listed, err := os.ReadFile(pids) //nolint:gosec // the soak's own
				return err == nil && slices.Contains(strings.Fields(string(listed)), strconv.Itoa(pid))
			})
			return probe.NewFinder(append([]probe.Option{only}, options...)...)
		},
		interval: time.Second,
	}))
}

// writeGauges writes the number of this answer, of the goroutines, and of the
// bytes that are in use. After a large answer the next garbage collection may be
// two minutes off, so there is one first: what nobody holds is no leak.
func writeGauges(file string, nth int) error {
	runtime.GC()
	samples := []metrics.Sample{{Name: "/sched/goroutines:goroutines"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	text := fmt.Sprintln(nth, samples[0].Value.Uint64(), samples[1].Value.Uint64())
	if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil { //nolint:gosec // the soak's own
		return err
	}
	return os.Rename(file+".new", file) //nolint:gosec // as above
}
