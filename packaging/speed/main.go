// Speed measures what Windsock costs a person who waits for it, against what the
// same answer costs by other means, in one run, for a machine's own pace is
// nobody's budget:
//
//	go run ./packaging/speed
//
// It builds Windsock as it is shipped, starts a language server that takes 10 ms
// for GetUserStatus and nothing for the rest, starts 300 processes that have
// nothing to do with it, and asks for the plan in turns: by a cold `windsock
// status --json`, by one curl that knows port and token already, and by a shell
// script that finds them with ps, lsof and sqlite3. Then it runs the benchmarks
// of discovery, among those processes, and of decoding.
//
// A turn of three is one sample; the medians count. With -strict it ends with 1
// when a budget is missed. It needs Linux, Go, curl, lsof, ps and sqlite3.
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
	"text/tabwriter"
	"time"

	"windsock/probe/simulator"
)

func main() {
	if simulator.IsServer(os.Args[0]) {
		serve()
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
	home := filepath.Join(dir, "home")
	if err := simulator.SignIn(filepath.Join(home, ".config", "Windsurf"), simulator.Auth{Key: key}); err != nil {
		return false, err
	}
	server, err := start(ctx, dir)
	if err != nil {
		return false, err
	}
	defer server.stop()
	ways, err := newWays(dir, home, program, server)
	if err != nil {
		return false, err
	}
	times, err := race(ctx, ways, turns)
	if err != nil {
		return false, err
	}
	discovery, err := benchmark(ctx, "windsock/probe", "BenchmarkDiscovery")
	if err != nil {
		return false, err
	}
	decode, err := benchmark(ctx, "windsock/usage", "BenchmarkDecode")
	if err != nil {
		return false, err
	}
	status, curl, pipeline := times[0], times[1], times[2]
	return report(out, turns, ways, times, []budget{
		{"status / curl", ratio(median(status), median(curl)), ratio(least(status), least(curl)), 1.5, ""},
		{"status / pipeline", ratio(median(status), median(pipeline)), ratio(least(status), least(pipeline)), 0.25, ""},
		{fmt.Sprintf("discovery among %d processes", bystanders), milliseconds(median(discovery)), milliseconds(least(discovery)), 8, " ms"},
		{"decode of 170 KB", milliseconds(median(decode)), milliseconds(least(decode)), 2, " ms"},
		{"binary", float64(size) / 1e6, float64(size) / 1e6, 20, " MB"},
	})
}

// budget is a figure, by the medians and by the least of what was measured, and
// what it may be at most.
type budget struct {
	name                  string
	median, least, atMost float64
	unit                  string
}

func report(out io.Writer, turns int, ways []way, times [][]time.Duration, budgets []budget) (missed bool, err error) {
	t := tabwriter.NewWriter(out, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%d times each\tmedian\tleast\tbudget\t\n", turns)
	for i, w := range ways {
		fmt.Fprintf(t, "%s\t%.1f ms\t%.1f ms\t\t\n", w.name, milliseconds(median(times[i])), milliseconds(least(times[i])))
	}
	for _, b := range budgets {
		mark := ""
		if b.median > b.atMost {
			missed, mark = true, " missed"
		}
		fmt.Fprintf(t, "%s\t%.2f%s\t%.2f%s\t%g%s%s\t\n", b.name, b.median, b.unit, b.least, b.unit, b.atMost, b.unit, mark)
	}
	if err := t.Flush(); err != nil {
		return missed, fmt.Errorf("write table: %w", err)
	}
	return missed, nil
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
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", to, "windsock")
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
