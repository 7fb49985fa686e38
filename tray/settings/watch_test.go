package settings

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"

	"windsock/probe/redact"
)

// brief is what is told of a file whose clock is all that changes.
func brief(c sample, err error) string {
	if err != nil {
		return said(err)
	}
	return c.Usage.Clock
}

func clockFile(clock string) string { return "[usage]\nclock = \"" + clock + "\"\n" }

// TestWatchFiles changes real files, in every way that an editor or a
// person with a shell may.
func TestWatchFiles(t *testing.T) {
	t.Parallel()
	write := func(path, clock string) error { return os.WriteFile(path, []byte(clockFile(clock)), 0o600) }
	replace := func(path, clock string) error {
		return errors.Join(write(path+"~", clock), os.Rename(path+"~", path))
	}
	type step struct {
		name string
		do   func(home string) error
		want string
	}
	const file = "config/windsock/config.toml"
	in := func(home string, parts ...string) string { return filepath.Join(home, filepath.Join(parts...)) }
	tests := []struct {
		name  string
		links bool
		setup func(home string) error
		steps []step
	}{
		{
			"nothing_there", false, func(string) error { return nil },
			[]step{
				{"make", func(home string) error {
					return errors.Join(os.MkdirAll(in(home, "config/windsock"), 0o700), write(in(home, file), "12h"))
				}, "12h"},
				{"write", func(home string) error { return write(in(home, file), "24h") }, "24h"},
				{"replace", func(home string) error { return replace(in(home, file), "12h") }, "12h"},
				{
					"break", func(home string) error { return os.WriteFile(in(home, file), []byte("a = 1"), 0o600) },
					"config.toml, line 1: there is no key a; there are [usage], [tray], [api], [log].",
				},
				{"mend", func(home string) error { return write(in(home, file), "24h") }, "24h"},
				{"delete", func(home string) error { return os.Remove(in(home, file)) }, "auto"},
				{"make_again", func(home string) error { return replace(in(home, file), "12h") }, "12h"},
				{"delete_all", func(home string) error { return os.RemoveAll(in(home, "config")) }, "auto"},
				{"make_all_again", func(home string) error {
					return errors.Join(os.MkdirAll(in(home, "config/windsock"), 0o700), write(in(home, file), "24h"))
				}, "24h"},
			},
		},
		{
			"directory_replaced", false, func(home string) error {
				return errors.Join(os.MkdirAll(in(home, "config/windsock"), 0o700), os.Mkdir(in(home, "new"), 0o700),
					write(in(home, "new/config.toml"), "12h"))
			},
			[]step{
				{"replace", func(home string) error {
					return errors.Join(os.Rename(in(home, "config/windsock"), in(home, "old")), os.Rename(in(home, "new"), in(home, "config/windsock")))
				}, "12h"},
				{"write", func(home string) error { return write(in(home, file), "24h") }, "24h"},
			},
		},
		{
			"linked_file", true, func(home string) error {
				return errors.Join(os.MkdirAll(in(home, "config/windsock"), 0o700), os.MkdirAll(in(home, "dotfiles/a"), 0o700),
					write(in(home, "dotfiles/a/w.toml"), "12h"), os.Symlink("a/w.toml", in(home, "dotfiles/first")),
					os.Symlink("../../dotfiles/first", in(home, file)))
			},
			[]step{
				{"write_target", func(home string) error { return write(in(home, "dotfiles/a/w.toml"), "24h") }, "24h"},
				{"replace_target", func(home string) error { return replace(in(home, "dotfiles/a/w.toml"), "12h") }, "12h"},
				{"point_elsewhere", func(home string) error {
					return errors.Join(write(in(home, "b.toml"), "24h"), os.Symlink(in(home, "b.toml"), in(home, "dotfiles/second")),
						os.Rename(in(home, "dotfiles/second"), in(home, "dotfiles/first")))
				}, "24h"},
				{"write_other_target", func(home string) error { return write(in(home, "b.toml"), "12h") }, "12h"},
				{
					"lose_target", func(home string) error { return os.Remove(in(home, "b.toml")) },
					"config.toml: it is a link to a file that is not there.",
				},
				{"find_target", func(home string) error { return write(in(home, "b.toml"), "24h") }, "24h"},
				{"file_for_link", func(home string) error { return replace(in(home, file), "12h") }, "12h"},
			},
		},
		{
			"linked_directory", true, func(home string) error {
				return errors.Join(os.MkdirAll(in(home, "config"), 0o700), os.MkdirAll(in(home, "a"), 0o700),
					os.Symlink("../a", in(home, "config/windsock")))
			},
			[]step{
				{"make", func(home string) error { return write(in(home, "a/config.toml"), "12h") }, "12h"},
				{"point_elsewhere", func(home string) error {
					return errors.Join(os.Mkdir(in(home, "b"), 0o700), write(in(home, "b/config.toml"), "24h"),
						os.Symlink("../b", in(home, "config/new")), os.Rename(in(home, "config/new"), in(home, "config/windsock")))
				}, "24h"},
				{"write", func(home string) error { return write(in(home, "b/config.toml"), "12h") }, "12h"},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.links && runtime.GOOS == "windows" {
				t.Skip("links need a privilege")
			}
			home := t.TempDir()
			if err := tt.setup(home); err != nil {
				t.Fatal(err)
			}
			// The last one told is kept, and what is told in the middle of a step
			// on a slow machine does not matter.
			told, ready := make(chan string, 100), make(chan struct{})
			var once sync.Once
			last := ""
			w := &watch[sample]{
				path: in(home, file),
				load: func() (sample, error) {
					defer once.Do(func() { close(ready) })
					return at(in(home, file)).Load()
				},
				changed: func(c sample, err error) {
					now := brief(c, err)
					if now == last {
						t.Errorf("told twice: %s", now)
					}
					last = now
					told <- now
				},
				blind: func(err error) { t.Errorf("blind: %v", err) },
			}
			w.last, w.err = at(in(home, file)).Load()
			var watching sync.WaitGroup
			ctx, stop := context.WithCancel(t.Context())
			defer watching.Wait()
			defer stop()
			watching.Go(func() { w.listen(ctx) })
			<-ready
			for _, s := range tt.steps {
				if err := s.do(home); err != nil {
					t.Fatalf("%s: %v", s.name, err)
				}
				deadline := time.After(time.Minute)
				for got := ""; got != s.want; {
					select {
					case got = <-told:
					case <-deadline:
						t.Fatalf("%s: the last told is %q, want %q", s.name, got, s.want)
					}
				}
			}
		})
	}
}

// bench is a watch in a synctest bubble, of a file that a test plays.
type bench struct {
	*watch[sample]

	path   string
	start  time.Time
	events chan fsnotify.Event
	errs   chan error

	// mu guards what is below.
	mu sync.Mutex
	// clock is what is in the file, and fails why no directory is watched.
	clock string
	fails error
	log   []string
	loads int
}

// Add and Remove make a notifier of it that hears nothing by itself.
func (b *bench) Add(string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.fails
}

func (*bench) Remove(string) error { return nil }

func (b *bench) note(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log = append(b.log, time.Since(b.start).String()+" "+what)
}

// set changes the file, and tells nobody.
func (b *bench) set(clock string, fails error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clock, b.fails = clock, fails
}

// read is how often the file was read.
func (b *bench) read() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.loads
}

// play runs a test of a watch, and returns what happened when.
func play(t *testing.T, setup func(*bench), test func(*bench)) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), Name)
	var log []string
	synctest.Test(t, func(t *testing.T) {
		b := &bench{
			path: path, start: time.Now(), clock: "auto",
			events: make(chan fsnotify.Event), errs: make(chan error),
		}
		b.watch = &watch[sample]{
			path: path, notifier: b, last: sampleDefaults(),
			load: func() (sample, error) {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.loads++
				return parse(clockFile(b.clock))
			},
			changed: func(c sample, err error) { b.note(brief(c, err)) },
			blind:   func(err error) { b.note("blind: " + redact.Path(err).Error()) },
		}
		setup(b)
		ctx, stop := context.WithCancel(t.Context())
		var watching sync.WaitGroup
		watching.Go(func() { b.run(ctx, b.events, b.errs) })
		synctest.Wait()
		test(b)
		stop()
		watching.Wait()
		log = b.log
	})
	return log
}

// write is a change of the file that is told of, after which time goes by.
func (b *bench) write(clock string, pause time.Duration) {
	b.set(clock, nil)
	b.events <- fsnotify.Event{Name: b.path, Op: fsnotify.Write}
	time.Sleep(pause)
}

func TestWatchTells(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		setup func(*bench)
		test  func(*bench)
		want  []string
	}{
		{
			"what_was_saved_before_it_looked", func(b *bench) { b.set("12h", nil) }, func(*bench) { time.Sleep(time.Hour) },
			[]string{"0s 12h"},
		},
		{
			"nothing_that_was_known", func(b *bench) {
				b.set("never", nil)
				b.last, b.err = parse(clockFile("never"))
			}, func(*bench) { time.Sleep(time.Hour) }, nil,
		},
		{
			"once_for_a_burst", nil, func(b *bench) {
				for _, clock := range []string{"", "12", "12h", "24h"} {
					b.write(clock, 99*time.Millisecond)
				}
				time.Sleep(time.Hour)
			}, []string{"397ms 24h"},
		},
		{
			"not_what_is_mended_at_once", nil, func(b *bench) {
				b.write("never", 60*time.Millisecond)
				b.write("auto", time.Hour)
			}, nil,
		},
		{
			"what_is_not_mended", nil, func(b *bench) {
				b.write("never", time.Second)
				b.write("never", time.Second)
				b.write("12h", time.Second)
			},
			[]string{`100ms config.toml, line 2: usage.clock is "never"; it takes auto, 12h or 24h.`, "2.1s 12h"},
		},
		{
			"in_a_burst_without_end", nil, func(b *bench) {
				b.write("12h", 50*time.Millisecond)
				for range 30 {
					b.write("24h", 50*time.Millisecond)
				}
			}, []string{"1s 24h"},
		},
		{
			"nothing_of_other_files", nil, func(b *bench) {
				b.set("12h", nil)
				b.events <- fsnotify.Event{Name: b.path + "~", Op: fsnotify.Create}
				time.Sleep(time.Hour)
			}, nil,
		},
		{
			"a_name_in_capitals", nil, func(b *bench) {
				b.set("12h", nil)
				b.events <- fsnotify.Event{Name: strings.ToUpper(b.path), Op: fsnotify.Create}
				time.Sleep(time.Hour)
			}, []string{"100ms 12h"},
		},
		{
			"after_lost_events", nil, func(b *bench) {
				b.set("12h", nil)
				b.errs <- fsnotify.ErrEventOverflow
				time.Sleep(time.Hour)
			}, []string{"100ms 12h"},
		},
		{
			"every_minute_without_notifier", func(b *bench) { b.notifier = nil }, func(b *bench) {
				time.Sleep(59 * time.Second)
				b.set("12h", nil)
				time.Sleep(time.Minute)
				b.set("24h", nil)
				time.Sleep(time.Hour)
			}, []string{"1m0s 12h", "2m0s 24h"},
		},
		{
			"every_minute_while_blind",
			func(b *bench) { b.set("auto", &os.PathError{Op: "add", Path: "/home/alice", Err: syscall.ENOSPC}) },
			func(b *bench) {
				b.set("12h", syscall.ENOSPC)
				time.Sleep(90 * time.Second)
				b.set("12h", nil)
				time.Sleep(31 * time.Second)
				loads := b.read()
				b.set("24h", nil)
				time.Sleep(time.Hour)
				if b.read() != loads {
					b.note("read without need")
				}
				b.write("24h", time.Second)
				b.set("12h", syscall.EMFILE)
				b.events <- fsnotify.Event{Name: b.path, Op: fsnotify.Write}
				time.Sleep(time.Second)
				b.set("24h", syscall.EMFILE)
				time.Sleep(time.Hour)
			},
			[]string{
				"0s blind: " + syscall.ENOSPC.Error(), "1m0s 12h", "1h2m1.1s 24h",
				"1h2m2.1s blind: " + syscall.EMFILE.Error(), "1h2m2.1s 12h", "1h3m2.1s 24h",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.setup == nil {
				tt.setup = func(*bench) {}
			}
			if diff := cmp.Diff(tt.want, play(t, tt.setup, tt.test)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// hastyNotifier makes the next directory on the way when one is watched, just
// too late to be told of it.
type hastyNotifier struct{ added, removed []string }

func (n *hastyNotifier) Add(dir string) error {
	n.added = append(n.added, filepath.Base(dir))
	return os.MkdirAll(filepath.Join(dir, map[string]string{"home": "config", "config": "windsock"}[filepath.Base(dir)]), 0o700)
}

func (n *hastyNotifier) Remove(dir string) error {
	n.removed = append(n.removed, filepath.Base(dir))
	return nil
}

func TestWatchFollowsWhatMoves(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	n := &hastyNotifier{}
	w := &watch[sample]{path: filepath.Join(home, "config", "windsock", Name), notifier: n}
	w.follow()
	want := &hastyNotifier{added: []string{"home", "config", "windsock"}, removed: []string{"home", "config"}}
	if diff := cmp.Diff(want, n, cmp.AllowUnexported(hastyNotifier{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWatchEnds(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	path := filepath.Join(t.TempDir(), "windsock", Name)
	if err := at(path).Watch(ctx, slog.New(slog.DiscardHandler), sampleDefaults(), nil, func(sample, error) { t.Error("told") }); err != nil {
		t.Error(err)
	}
}

func TestWayToEndsInLoops(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := errors.Join(os.Symlink("b", filepath.Join(dir, "a")), os.Symlink("a", filepath.Join(dir, "b"))); err != nil {
		t.Skip(err)
	}
	if way := wayTo(filepath.Join(dir, "a", Name)); len(way) < 2 || len(way) > 100 {
		t.Errorf("%d places", len(way))
	}
}
