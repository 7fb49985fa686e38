package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"windsock/probe/simulator"
	"windsock/tray/traytest"
)

// run soaks, and returns what is wrong.
func run(ctx context.Context, out io.Writer, o options) error {
	s := &stand{ctx: ctx, out: out}
	return s.run(func(tb testing.TB) {
		tb.Helper()
		if err := soak(ctx, tb, out, o); err != nil {
			tb.Error(err)
		}
	})
}

// world is all that is there.
type world struct {
	dir      string
	editor   *editor
	signIn   signIn
	settings *settings
	desktop  *desktop
	apps     []*app
	counts   map[string]int // of steps, by name
}

// soak runs the plan. What fails in it fails tb; the error is what is wrong with
// the app.
func soak(ctx context.Context, tb testing.TB, out io.Writer, o options) error {
	tb.Helper()
	if o.length <= o.warmUp || o.warmUp < 0 || o.every <= 0 {
		return fmt.Errorf("-for %v, -warm-up %v and -every %v leave nothing to look at", o.length, o.warmUp, o.every)
	}
	// The apps end with this thread, which ends with this goroutine.
	runtime.LockOSThread()
	w, err := newWorld(ctx, tb)
	if w != nil {
		defer w.leave()
	}
	if err != nil {
		return err
	}
	plan := newPlan(o)
	fmt.Fprintf(out, "%v, seed %d: %d steps, of which the first are\n", o.length, o.seed, len(plan))
	printPlan(out, plan[:min(len(plan), 10)])

	samples, err := w.live(ctx, o, plan)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return errors.Join(err, w.postMortem())
	}
	if err := w.comeBack(ctx, tb); err != nil {
		return errors.Join(err, w.postMortem())
	}
	return w.close(out, o, samples) //nolint:contextcheck // what was counted is there, whatever has ended
}

func newWorld(ctx context.Context, tb testing.TB) (*world, error) {
	tb.Helper()
	dir, err := os.MkdirTemp("", "soak-")
	if err != nil {
		return nil, fmt.Errorf("make directory: %w", err)
	}
	w := &world{dir: dir, editor: newEditor(dir), counts: map[string]int{}}
	program := filepath.Join(dir, "windsock")
	build := exec.CommandContext(ctx, "go", "build", "-tags", "soak", "-trimpath", "-ldflags", "-s -w", "-o", program, "windsock")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return w, fmt.Errorf("build windsock: %w\n%s", err, text)
	}
	headless := &app{name: "without an icon", args: []string{"--headless"}, dir: filepath.Join(dir, "headless")}
	if headless.env, err = environment(headless.dir); err != nil {
		return w, err
	}
	w.apps = []*app{headless}
	w.desktop = &desktop{tb: tb, clicks: map[kind]int{}}
	var bus *traytest.Bus
	if _, err := exec.LookPath("dbus-daemon"); err == nil {
		bus = traytest.StartBus(tb) //nolint:contextcheck // it has tb's
		bus.Notifier(tb, "body", "body-markup")
		w.desktop.watcher = bus.Watch(tb, true)
		w.apps = append(w.apps, &app{name: "with an icon", dir: bus.Dir(), env: bus.Env()})
	}
	w.settings = &settings{}
	w.desktop.settings = w.settings
	for _, a := range w.apps {
		a.program, a.env = program, append(a.env, "TZ=UTC", "WINDSOCK_SOAK_PIDS="+w.editor.pids)
		w.signIn.dirs = append(w.signIn.dirs, a.editorDir())
		w.settings.files = append(w.settings.files, a.settings())
	}
	if err := errors.Join(w.signIn.write("plain"), w.settings.edit(), w.editor.start(ctx, w.editor.ordinary())); err != nil {
		return w, err
	}
	for _, a := range w.apps {
		if err := a.start(ctx); err != nil {
			return w, err
		}
	}
	if bus != nil {
		w.desktop.item = bus.Item(tb, w.apps[1].cmd.Process.Pid)
	}
	return w, nil
}

// leave ends what still runs.
func (w *world) leave() {
	for _, a := range w.apps {
		if a.done != nil {
			_, _ = a.end(syscall.SIGTERM) // close has told what there was to tell
		}
	}
	_ = w.editor.quit()
	_ = os.RemoveAll(w.dir)
}

// live lets the plan happen, and returns what each app held meanwhile.
func (w *world) live(ctx context.Context, o options, plan []step) ([][]sample, error) {
	begin := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	watching, stop := context.WithDeadline(ctx, begin.Add(o.length))
	defer stop()
	samples := make([][]sample, len(w.apps))
	for i, a := range w.apps {
		group.Go(func() (err error) {
			samples[i], err = a.watch(watching, begin, min(max(o.length/600, 100*time.Millisecond), time.Second))
			return err
		})
	}
	begins := [lanes]func(context.Context, step) (func() error, error){w.editor.begin, w.signIn.begin, w.desktop.begin}
	for l, do := range begins {
		group.Go(func() error {
			for _, s := range plan {
				if s.lane != lane(l) {
					continue
				}
				if err := w.happen(ctx, begin, s, do); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for _, s := range plan {
		w.counts[s.name()]++
	}
	return samples, group.Wait()
}

// happen waits for a step, and lets it happen for as long as it takes.
func (w *world) happen(ctx context.Context, begin time.Time, s step, do func(context.Context, step) (func() error, error)) error {
	if err := wait(ctx, time.Until(begin.Add(s.at))); err != nil {
		return err
	}
	end, err := do(ctx, s)
	if err == nil {
		err = wait(ctx, s.hold)
	}
	if end != nil {
		err = errors.Join(err, end())
	}
	if err == nil && s.anew {
		err = w.settings.askAnew()
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", s.kind, s.what, err)
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// comeBack starts the editor once more, with an account that stands still, and
// checks that its figures come.
func (w *world) comeBack(ctx context.Context, tb testing.TB) error {
	tb.Helper()
	err := errors.Join(w.editor.quit(), w.signIn.write("plain"),
		w.editor.start(ctx, simulator.Config{Scenario: lastAccount}), w.settings.askAnew())
	if err != nil {
		return err
	}
	for _, a := range w.apps {
		if err := a.checkFigures(ctx); err != nil {
			return err
		}
	}
	if w.desktop.item == nil {
		return nil
	}
	return attempt(tb, func(tb testing.TB) { tb.Helper(); w.desktop.item.WaitMenuContains(tb, rightMenu) })
}

// postMortem is what the apps had to say when something has gone wrong.
func (w *world) postMortem() error {
	errs := make([]error, 0, 2*len(w.apps))
	for _, a := range w.apps {
		log, err := a.log()
		_, _ = a.end(syscall.SIGQUIT)
		errs = append(errs, err, fmt.Errorf("%s logged at last:\n%s\nand printed:\n%s", a.name, tail(log, 4000), tail(a.out.String(), 16000)))
	}
	return errors.Join(errs...)
}

func tail(text string, most int) string { return text[max(0, len(text)-most):] }

// close ends the apps, judges them and writes the tables.
func (w *world) close(out io.Writer, o options, samples [][]sample) error {
	var problems []string
	for i, a := range w.apps {
		verdicts, err := judgeAll(samples[i], o)
		if err != nil {
			return err
		}
		fmt.Fprintln(out)
		grown, err := printVerdicts(out, a.name, verdicts)
		if err != nil {
			return err
		}
		problems = append(problems, grown...)
		found, err := w.closeApp(a, len(grown) > 0)
		if err != nil {
			return err
		}
		for _, p := range found {
			problems = append(problems, a.name+": "+p)
		}
	}
	if err := w.editor.quit(); err != nil {
		return err
	}
	if err := w.printCounts(out); err != nil {
		return err
	}
	if len(problems) > 0 {
		return errors.New(strings.Join(problems, "\n"))
	}
	return nil
}

// closeApp ends an app. One that has grown says where its goroutines are.
func (w *world) closeApp(a *app, grown bool) (problems []string, err error) {
	if grown {
		_, err := a.end(syscall.SIGQUIT)
		return crowds(a.out.String()), err
	}
	code, err := a.end(syscall.SIGTERM)
	if err != nil || code != 0 {
		problems = append(problems, fmt.Sprintf("ended with exit code %d, %v", code, err))
	}
	log, err := a.log()
	if err != nil {
		return nil, err
	}
	left, err := checkFiles(a.dir)
	if err != nil {
		return nil, err
	}
	w.counts["figures had again, "+a.name] = strings.Count(log, "figures had")
	w.counts["warnings, "+a.name] = strings.Count(log, "msg=warned")
	problems = append(problems, checkWords(log, a.out.String(), w.editor.secrets())...)
	return append(problems, left...), nil
}

// printCounts says how much has happened.
func (w *world) printCounts(out io.Writer) error {
	calls := w.editor.calls()
	w.counts["polls (GetUserStatus)"] = calls["GetUserStatus"]
	w.counts["handshakes (GetUnleashData)"] = calls["GetUnleashData"]
	w.counts["servers started"] = len(w.editor.all)
	delete(w.counts, string(refresh)) // of which not all meet a row
	delete(w.counts, string(mute))
	w.counts["settings written"] = w.settings.edits + w.settings.asked
	for what, n := range w.desktop.clicks {
		w.counts["clicks on "+string(what)] = n
	}
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(w.counts)) {
		fmt.Fprintf(t, "%s\t%d\n", name, w.counts[name])
	}
	return t.Flush()
}
