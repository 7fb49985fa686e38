// Speed measures what Windsock costs a person who waits for it, against what the
// same answer costs by other means, in one run, for a machine's own pace is
// nobody's budget:
//
//	go run ./packaging/speed
//
// It builds Windsock as it is shipped, starts a simulated language server that
// takes 10 ms for GetUserStatus beside what it takes for the answer itself, starts
// 300 processes that have nothing to do with it, and asks for the plan in turns: by
// a cold `windsock status --json`, by one curl that knows port and token already,
// and by a shell script that finds them with ps, lsof and sqlite3. A turn of three
// is one sample; the medians count.
//
// Then it plans the cleaning of 10,000 cascades, with a curl of the same listing
// beside it, asks for answers (see prompt.go for what is measured), and runs
// benchmarks of what cannot be seen from outside.
//
// With -strict it ends with 1 when a budget is missed. It needs Linux, Go, curl,
// lsof, ps and sqlite3.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"windsock/probe/simulator"
)

func main() {
	if simulator.IsServer(os.Args[0]) {
		simulator.Main()
		return
	}
	turns := flag.Int("n", 30, "ask so many times each")
	strict := flag.Bool("strict", false, "end with 1 when a budget is missed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	missed, err := run(ctx, os.Stdout, *turns)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
	}
	if err != nil || (missed && *strict) {
		os.Exit(1)
	}
}

// bystanders is how many processes a desktop has beside the one that is looked
// for.
const bystanders = 300

// run writes the table, and reports whether a budget is missed.
func run(ctx context.Context, out io.Writer, turns int) (missed bool, err error) {
	if err := tools("go", "curl", "lsof", "ps", "sqlite3", "cat"); err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "speed-")
	if err != nil {
		return false, fmt.Errorf("make directory: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // nobody misses it
	program := filepath.Join(dir, "windsock")
	size, err := build(ctx, program)
	if err != nil {
		return false, err
	}
	crowd, err := gather(ctx, bystanders)
	if err != nil {
		return false, err
	}
	defer crowd.leave()
	r := report{rows: []row{{name: "binary", figures: []float64{float64(size) / 1e6}, atMost: 20, unit: "MB"}}}
	for i, measure := range []func(context.Context, place, int, *report) error{status, clean, firstText, longAnswer, benchmarks} {
		at, err := place{dir: dir, program: program}.newHome(fmt.Sprintf("home%d", i))
		if err != nil {
			return false, err
		}
		if err := measure(ctx, at, turns, &r); err != nil {
			return false, err
		}
	}
	return r.write(out, turns)
}

// status asks for the plan by turns.
func status(ctx context.Context, at place, turns int, r *report) (err error) {
	server, err := at.start(ctx, simulator.Config{Delay: think, DelayRPC: "GetUserStatus"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	ways, err := at.statusWays(server)
	if err != nil {
		return err
	}
	times, err := race(ctx, ways, turns)
	if err != nil {
		return err
	}
	r.took(ways, times)
	r.ratio("status / curl", times[0], times[1], 1.5)
	r.ratio("status / pipeline", times[0], times[2], 0.25)
	return nil
}

// benchmarks are those of the code that is too quick to be seen from outside, or
// needs what the simulator does not have.
func benchmarks(ctx context.Context, _ place, _ int, r *report) error {
	for _, b := range []struct {
		name, pkg, benchmark string
		atMost               float64
	}{
		{fmt.Sprintf("discovery among %d processes", bystanders), "windsock/probe/system", "BenchmarkDiscovery", 8},
		{"decode of 170 KB", "windsock/usage", "BenchmarkDecode", 2},
		{"answer of 1 MB, one poll", "windsock/chat/cascade", "BenchmarkPoll", 5},
		{"5 years of history, its days", "windsock/usage/history", "BenchmarkDays/5_years", 20},
		{"5 years of history, its last month", "windsock/usage/history", "BenchmarkSamples", 20},
	} {
		times, err := benchmark(ctx, b.pkg, b.benchmark)
		if err != nil {
			return err
		}
		r.times(b.name, times, b.atMost)
	}
	return nil
}

// tools looks for what is needed.
func tools(names ...string) error {
	var missing []string
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return errors.New("this needs " + strings.Join(missing, ", ") + "; on Debian: apt install curl lsof procps sqlite3")
	}
	return nil
}

// build builds Windsock as it is shipped and returns its size in bytes.
func build(ctx context.Context, to string) (int64, error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", "nethttpomithttp2", "-trimpath", "-ldflags", "-s -w", "-o", to, "windsock")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("build windsock: %w", err)
	}
	info, err := os.Stat(to)
	if err != nil {
		return 0, fmt.Errorf("build windsock: %w", err)
	}
	return info.Size(), nil
}
