package settings

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestLostDraftsGo: what a killed save has left goes with the next one, and nothing
// else does.
func TestLostDraftsGo(t *testing.T) {
	t.Parallel()
	for name, save := range map[string]func(File[sample]) error{
		"save": func(f File[sample]) error { return f.Save(func(c *sample) { c.API.Enabled = true }, false) },
		"init": File[sample].Init,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFile(t)
			dir := filepath.Dir(f.Path)
			lost, err := draft(dir, []byte("lost"), 0o600)
			if err != nil {
				t.Fatal(err)
			}
			age(t, lost)
			alive, err := draft(dir, []byte("alive"), 0o600)
			if err != nil {
				t.Fatal(err)
			}
			own := filepath.Join(dir, ".windsock-configuration")
			folder := filepath.Join(dir, draftPrefix+"folder")
			if err := errors.Join(os.WriteFile(own, nil, 0o600), os.Mkdir(folder, 0o700)); err != nil {
				t.Fatal(err)
			}
			age(t, own)
			age(t, folder)
			if err := save(f); err != nil {
				t.Fatal(err)
			}
			want := []string{f.Path, alive, own, folder}
			slices.Sort(want)
			got, err := filepath.Glob(filepath.Join(dir, "*"))
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if err := os.Rename(lost, f.Path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("its maker, had it lived, would have moved something: %v", err)
			}
		})
	}
}

// age makes a file as old as a lost draft has to be.
func age(t *testing.T, path string) {
	t.Helper()
	old := time.Now().Add(-draftLife - time.Second)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

// TestReplaceAtOnce is of processes that do not see each other's lock: whoever is
// the last, the file is one's as a whole.
func TestReplaceAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), Name)
	whole := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i)}, 1<<16) }
	before := whole(0)
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	var replacing sync.WaitGroup
	for i := range 8 {
		replacing.Go(func() {
			if err := replace(path, before, whole(i+1)); err != nil && !errors.Is(err, errChanged) {
				t.Error(err)
			}
		})
	}
	replacing.Wait()
	text, err := os.ReadFile(path)
	if err != nil || len(text) != len(before) || strings.Trim(string(text), string(text[:1])) != "" || text[0] == before[0] {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
