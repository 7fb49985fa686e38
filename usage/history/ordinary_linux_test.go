package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windsock/probe/probetest"
	"windsock/probe/say"
	"windsock/usage"
)

// Without write permission for the directory, the store works from memory, and writes
// once it is permitted.
func TestReadOnlyDirectory(t *testing.T) {
	if !probetest.AsOrdinaryUser(t) {
		return
	}
	for _, there := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "history.db")
		want := []int64{1, 2, 3, 4}
		if there {
			want = append([]int64{0}, want...)
			s := New(Config{Path: path})
			s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(0)))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		var log probetest.Log
		s := openIn(t, path, time.UTC, &log)
		for i := range 3 {
			h := s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Duration(i+1)*time.Hour), credits(int64(i+1)*credit)))
			equal(t, len(h[usage.PromptCredits].Samples), i+1)
		}
		equal(t, strings.Count(log.String(), "level=WARN"), 1)
		if !strings.Contains(log.String(), "kind=denied") || strings.Contains(log.String(), dir) {
			t.Errorf("log:\n%s", log.String())
		}
		if err := s.Save(t.Context(), "alerts", []byte("x")); say.Code(err) != "denied" || strings.Contains(err.Error(), dir) {
			t.Errorf("save: %v", err)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(4*time.Hour), credits(4*credit)))
		equal(t, figures(allSamples(t, path)), want)
	}
}

// A file that root left behind is moved aside; one with wrong permissions is opened.
func TestFileOfAnother(t *testing.T) {
	if !probetest.AsOrdinaryUser(t) {
		return
	}
	path := filepath.Join(t.TempDir(), "history.db")
	s := open(t, path)
	s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(0)))
	if err := errors.Join(s.Close(), os.Chmod(path, 0)); err != nil {
		t.Fatal(err)
	}
	equal(t, figures(allSamples(t, path)), []int64{0})
	equal(t, stat(t, path).Mode().Perm(), 0o600)
}
