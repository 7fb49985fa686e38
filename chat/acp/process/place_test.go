package process

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMake(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state", "agents")
	room := NewRoom(dir)
	if err := room.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("to sweep has made the room: %v", err)
	}
	first, err := room.Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !first.Alone(t.Context()) {
		t.Error("one place is not alone")
	}
	second, err := room.Make(t.Context())
	if err != nil || first.Alone(t.Context()) || second.Alone(t.Context()) {
		t.Errorf("two places: %v", err)
	}
	for _, d := range []string{first.Work, first.Settings} {
		entries, err := os.ReadDir(d)
		info, _ := os.Stat(d)
		if err != nil || len(entries) > 0 || info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
			t.Errorf("%q, %v, %v", entries, info.Mode(), err)
		}
	}
	second.Remove()
	if !first.Alone(t.Context()) {
		t.Error("a removed place is still there")
	}
	first.Remove()
	if names := left(t, dir); names != nil {
		t.Errorf("left %q", names)
	}
}

// TestSweep: places that nobody holds are removed, with what an agent has put there;
// other things in the directory are left alone.
func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	room := NewRoom(dir)
	held, err := room.Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Remove()
	const stale, half = "7d444840-9dc0-11d1-b245-5ffdce74fad2", "7d444840-9dc0-11d1-b245-5ffdce74fad3"
	for _, path := range []string{stale + "/work/deep/er", half, "else"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(path)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := room.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Base(filepath.Dir(held.Work)), "else"}
	if want[0] > want[1] {
		want[0], want[1] = want[1], want[0]
	}
	if diff := cmp.Diff(want, left(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMakeAtOnce: places that are made at the same time are no obstacle to each other.
func TestMakeAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			place, err := NewRoom(dir).Make(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := os.Stat(place.Work); err != nil {
				t.Error(err)
			}
			place.Remove()
		})
	}
	wg.Wait()
	if names := left(t, dir); names != nil {
		t.Errorf("left %q", names)
	}
}

// TestStart: the program works in the empty directory, with the variables that it is
// given. One that cannot be started leaves nothing, and its path is in no error.
func TestStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	place, err := NewRoom(dir).Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := place.Start(Command{Path: self(t), Env: append(os.Environ(), scriptVariable+"=directory")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	lines := bufio.NewScanner(p.Out)
	lines.Scan()
	got := strings.TrimSuffix(strings.TrimPrefix(lines.Text(), "directory "), " <nil>")
	if filepath.Base(filepath.Dir(got)) != filepath.Base(filepath.Dir(place.Work)) || filepath.Base(got) != "work" {
		t.Errorf("it works in %q", got)
	}
	p.End()
	place, err = NewRoom(dir).Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := place.Start(Command{Path: filepath.Join(dir, "secret")}); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, exec.ErrNotFound) || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v", err)
	}
	if names := left(t, dir); names != nil {
		t.Errorf("left %q", names)
	}
}
