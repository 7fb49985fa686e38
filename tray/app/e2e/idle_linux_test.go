package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
	"windsock/tray/traytest"
)

var idle = flag.Duration("idle", 3*time.Second, "how long TestIdleCost looks on; packaging/idle.sh takes ten minutes")

// TestIdleCost measures the idle cost of the app, built as it is shipped: at the
// default interval, with a server that answers, on a desktop that shows its icon.
func TestIdleCost(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	program := shipped(t)
	startInsiders(t, bus)
	app := bus.Start(t, exec.CommandContext(t.Context(), program))
	item := bus.Item(t, app.PID())
	item.WaitMenuContains(t, lateRows...)
	time.Sleep(settled)

	signals := item.Signals(t)
	before := costOf(t, app.PID())
	time.Sleep(*idle)
	after := costOf(t, app.PID())
	sent := signals.Count(t)
	t.Logf("over %v: %d KB RSS (%d KB its own), %d CPU ticks of 10 ms, %d wake-ups, %d bytes written, %d threads, signals on the bus: %v",
		*idle, after.rss, after.anon, after.ticks-before.ticks, after.wakeups-before.wakeups, after.written-before.written, after.threads, sent)

	app.Signal(t, syscall.SIGQUIT) // Go's own dump of all goroutines
	app.Wait(t)
	goroutines := len(regexp.MustCompile(`(?m)^goroutine \d+ `).FindAllString(app.Output(), -1))
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d goroutines; %.1f MB binary", goroutines, float64(info.Size())/1e6)
	if goroutines == 0 || goroutines > 50 {
		t.Errorf("%d goroutines", goroutines)
	}
	if after.rss == 0 || after.rss > 40_000 {
		t.Errorf("%d KB RSS", after.rss)
	}
}

// startInsiders starts an editor that the app takes for a real one. No other test
// has one of the variant that is asked: the app as it is shipped sees them all.
func startInsiders(t *testing.T, bus *traytest.Bus) {
	t.Helper()
	const variant = "windsurf-insiders"
	config := filepath.Join(bus.Dir(), "home", ".config")
	if err := os.MkdirAll(filepath.Join(config, "windsock"), 0o700); err != nil {
		t.Fatal(err)
	}
	replaceFile(t, filepath.Join(config, "windsock", "config.toml"), "[usage]\nvariant = \""+variant+"\"\n")
	if err := simtest.SignIn(filepath.Join(config, "Windsurf Insiders"), simtest.Auth{Key: testKey}); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(bus.Dir(), "editor")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	simtest.Start(t, simulator.Options{
		Root: root, IDEName: variant, App: "usr/share/" + variant, RunChild: true,
		Env: []string{"WINDSOCK_SIMULATOR="}, Config: simulator.Config{Delay: 10 * time.Millisecond},
	})
}

// settled is when the app has finished its one-time work after the start.
const settled = 3 * time.Second

// cost is a process's consumption so far, and its present memory and threads.
type cost struct {
	rss, anon, ticks, wakeups, written, threads int
}

func costOf(t *testing.T, pid int) cost {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d", pid)
	c := cost{
		rss: number(t, dir+"/status", "VmRSS:"), anon: number(t, dir+"/status", "RssAnon:"),
		written: number(t, dir+"/io", "write_bytes:"), threads: number(t, dir+"/status", "Threads:"),
	}
	tasks, err := filepath.Glob(dir + "/task/*/status")
	if err != nil || len(tasks) == 0 {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	for _, task := range tasks {
		c.wakeups += number(t, task, "voluntary_ctxt_switches:")
	}
	stat := content(t, dir+"/stat")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	for _, field := range fields[11:13] { // utime and stime
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		c.ticks += n
	}
	return c
}

// number is the one behind a word at the start of a line.
func number(t *testing.T, file, word string) int {
	t.Helper()
	for line := range strings.Lines(content(t, file)) {
		if value, ok := strings.CutPrefix(line, word); ok {
			n, err := strconv.Atoi(strings.Fields(value)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no %s in %s", word, file)
	return 0
}

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
