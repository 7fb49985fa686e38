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
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
)

// brief is the report on a file in which only the clock changes.
func brief(c sample, err error) string {
	if err != nil {
		return say.Sentence(err, "")
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
				{
					"lose_target", func(home string) error { return os.Remove(in(home, "dotfiles/a/w.toml")) },
					"config.toml: it is a link to a file that is not there.",
				},
				{"find_target", func(home string) error { return write(in(home, "dotfiles/a/w.toml"), "24h") }, "24h"},
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
				{"write", func(home string) error { return write(in(home, "a/config.toml"), "24h") }, "24h"},
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
			// Reports in the middle of a step on a slow machine do not matter.
			told := make(chan string, 100)
			f := at(in(home, file))
			known := sampleDefaults()
			known.Usage.Clock = "unlike any" // so that the first look is reported
			last := ""
			var watching sync.WaitGroup
			ctx, stop := context.WithCancel(t.Context())
			defer watching.Wait()
			defer stop()
			logger := slog.New(slog.NewTextHandler(t.Output(), nil))
			watching.Go(func() {
				if err := f.Watch(ctx, logger, known, nil, func(c sample, err error) {
					now := brief(c, err)
					if now == last {
						t.Errorf("told twice: %s", now)
					}
					last = now
					told <- now
				}); err != nil {
					t.Error(err)
				}
			})
			<-told
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

// bench is a watch in a synctest bubble, where a test tells what happens.
type bench struct {
	*watch[sample]

	events chan fsnotify.Event
	errs   chan error
}

// save changes the file, without a word.
func (b bench) save(t *testing.T, clock string) {
	t.Helper()
	if err := os.WriteFile(b.file.Path, []byte(clockFile(clock)), 0o600); err != nil {
		t.Error(err)
	}
}

// tell tells that something has happened to a path, and lets time go by.
func (b bench) tell(path string, pause time.Duration) {
	b.events <- fsnotify.Event{Name: path, Op: fsnotify.Write}
	time.Sleep(pause)
}

func TestWatchTells(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		before, known string // the file's content, and the caller's reading of it
		test          func(t *testing.T, b bench)
		want          []string // the reports and their times
	}{
		{"saved_before_it_looks", "12h", "auto", func(*testing.T, bench) {}, []string{"0s 12h"}},
		{"known", "never", "never", func(*testing.T, bench) {}, nil},
		{"once_for_a_burst", "auto", "auto", func(t *testing.T, b bench) {
			t.Helper()
			for _, clock := range []string{"", "12", "12h", "24h"} {
				b.save(t, clock)
				b.tell(b.file.Path, 30*time.Millisecond)
			}
			time.Sleep(time.Hour)
		}, []string{"100ms 24h"}},
		{"what_is_not_mended", "auto", "auto", func(t *testing.T, b bench) {
			t.Helper()
			for _, clock := range []string{"never", "never", "12h"} {
				b.save(t, clock)
				b.tell(b.file.Path, time.Second)
			}
		}, []string{`100ms config.toml, line 2: usage.clock is "never"; it takes auto, 12h or 24h.`, "2.1s 12h"}},
		{"nothing_of_other_files", "auto", "auto", func(t *testing.T, b bench) {
			t.Helper()
			b.save(t, "12h")
			b.tell(b.file.Path+"~", time.Hour)
		}, nil},
		{"a_name_in_capitals", "auto", "auto", func(t *testing.T, b bench) {
			t.Helper()
			b.save(t, "12h")
			b.tell(strings.ToUpper(b.file.Path), time.Second)
		}, []string{"100ms 12h"}},
		{"a_directory_above", "auto", "auto", func(t *testing.T, b bench) {
			t.Helper()
			b.save(t, "12h")
			b.tell(filepath.Dir(filepath.Dir(b.file.Path)), time.Second)
		}, []string{"100ms 12h"}},
		{"after_lost_events", "auto", "auto", func(t *testing.T, b bench) {
			t.Helper()
			b.save(t, "12h")
			b.errs <- fsnotify.ErrEventOverflow
			time.Sleep(time.Second)
		}, []string{"100ms 12h"}},
		{"every_minute_where_nothing_is_told", "auto", "auto", func(t *testing.T, b bench) {
			t.Helper()
			b.missed = true
			b.tell(b.file.Path, 90*time.Second)
			b.save(t, "12h")
			time.Sleep(time.Minute)
			b.save(t, "24h")
			time.Sleep(time.Hour)
		}, []string{"2m0.1s 12h", "3m0.1s 24h"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			path := filepath.Join(t.TempDir(), Name)
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				b := bench{events: make(chan fsnotify.Event), errs: make(chan error), watch: &watch[sample]{
					file: at(path), target: path, last: sampleDefaults(),
					changed: func(c sample, err error) { got = append(got, time.Since(start).String()+" "+brief(c, err)) },
				}}
				b.last, b.lastErr = parse(clockFile(tt.known))
				b.save(t, tt.before)
				ctx, stop := context.WithCancel(t.Context())
				var watching sync.WaitGroup
				watching.Go(func() { b.run(ctx, b.events, b.errs) })
				synctest.Wait()
				tt.test(t, b)
				stop()
				watching.Wait()
			})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
