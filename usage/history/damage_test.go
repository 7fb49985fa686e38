package history

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windsock/probe/probetest"
	"windsock/probe/say"
	"windsock/usage"
)

// populated is a database of some size.
var populated = made(func(tb testing.TB, path string) {
	tb.Helper()
	s := open(tb, path)
	fill(tb, s, account(tb, "u"), life(1, 20*24*time.Hour))
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
})

// asideOf are the names of the files beside the database.
func asideOf(t *testing.T, path string) (names []string) {
	t.Helper()
	for _, name := range namesIn(t, filepath.Dir(path)) {
		if strings.HasPrefix(name, "history-unreadable-") {
			names = append(names, name)
		}
	}
	return names
}

// An unreadable file is moved aside unchanged, and a new history begins.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	garbage := make([]byte, 10_000)
	_, _ = rand.Read(garbage)
	shortened := func(keep func(size int64) int64) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			t.Helper()
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, keep(info.Size())); err != nil {
				t.Fatal(err)
			}
		}
	}
	replaced := func(content []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			t.Helper()
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	statement := func(statements ...string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			t.Helper()
			db := raw(t, path)
			for _, s := range statements {
				mustExec(t, db, s)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name   string
		damage func(t *testing.T, path string)
	}{
		{"garbage", replaced(garbage)},
		{"text", replaced([]byte("this is my diary\n"))},
		{"two_bytes", replaced([]byte{0, 0})}, // one is an empty database to SQLite
		{"header_alone", shortened(func(int64) int64 { return 100 })},
		{"half", shortened(func(size int64) int64 { return size / 2 })},
		{"half_a_page_off", shortened(func(size int64) int64 { return size - 500 })},
		{"a_page_off", shortened(func(size int64) int64 { return size - 1024 })},
		{"no_tables", statement("DROP TABLE sample")},
		{"no_salt", statement("DELETE FROM installation")},
		{"negative_version", statement("PRAGMA user_version = -7")},
		{"another_database", statement("DROP TABLE sample", "DROP TABLE day", "DROP TABLE account", "DROP TABLE meter", "DROP TABLE document", "PRAGMA user_version = 0")},
		{"schema_overwritten", func(t *testing.T, path string) {
			t.Helper()
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			copy(content[100:1000], garbage)
			replaced(content)(t, path)
		}},
		{"directory", func(t *testing.T, path string) {
			t.Helper()
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700), os.WriteFile(filepath.Join(path, "kept"), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := populated(t)
			tt.damage(t, path)
			before := contents(t, path)
			var log probetest.Log
			s := openIn(t, path, time.UTC, &log)
			h := s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(credit)))
			equal(t, len(h[usage.PromptCredits].Samples), 1)
			if !strings.Contains(s.Notice(), "could not be read") || strings.Contains(s.Notice(), filepath.Dir(path)) {
				t.Errorf("notice %q", s.Notice())
			}
			if strings.Count(log.String(), "level=WARN") != 1 || strings.Contains(log.String(), path) {
				t.Errorf("log:\n%s", log.String())
			}
			s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Hour), credits(2*credit)))
			equal(t, figures(allSamples(t, path)), []int64{1, 2})
			aside := asideOf(t, path)
			if len(aside) != 1 {
				t.Fatalf("aside: %v", aside)
			}
			equal(t, contents(t, filepath.Join(filepath.Dir(path), aside[0], "history.db")), before)
		})
	}
}

// contents are the bytes of a file, or the names in a directory.
func contents(t *testing.T, path string) string {
	t.Helper()
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return strings.Join(namesIn(t, path), " ")
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Opening does not read the damaged page; a later use does.
func TestDamageFoundLater(t *testing.T) {
	t.Parallel()
	path := populated(t)
	content := []byte(contents(t, path))
	s := open(t, path)
	if days, err := s.Days(t.Context(), time.Time{}); err != nil || len(days) == 0 {
		t.Fatal(days, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// Pages in the middle are leaves of the samples.
	copy(content[len(content)/2:], bytes.Repeat([]byte{0xff}, 3000))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	days, err := s.Days(t.Context(), time.Time{})
	if err != nil || len(days) != 0 || !strings.Contains(s.Notice(), "could not be read") {
		t.Errorf("%d days, %v, notice %q", len(days), err, s.Notice())
	}
	aside := asideOf(t, path)
	if len(aside) != 1 {
		t.Fatalf("aside: %v", aside)
	}
	equal(t, contents(t, filepath.Join(filepath.Dir(path), aside[0], "history.db")), string(content))
}

// Whatever bit is wrong, the store accepts figures and returns them.
func TestDamageAnywhere(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	s := open(t, path)
	fill(t, s, account(t, "u"), life(1, 24*time.Hour))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	good := []byte(contents(t, path))
	places := 60
	if race {
		places = 15 // it takes ten times as long, and there is one goroutine
	}
	for i := 0; i < len(good); i += 1 + len(good)/places {
		path := filepath.Join(t.TempDir(), "history.db")
		bad := bytes.Clone(good)
		bad[i] ^= 0xff
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		s := New(Config{Path: path, Location: time.UTC})
		if h := s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(credit))); len(h[usage.PromptCredits].Samples) == 0 && s.Notice() == "" {
			t.Fatalf("byte %d: %v", i, h)
		}
		_, _ = s.Days(t.Context(), time.Time{})
		_, _ = s.Samples(t.Context(), time.Time{})
		h := s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Hour), credits(2*credit)))
		if n := len(h[usage.PromptCredits].Samples); n == 0 || h[usage.PromptCredits].Samples[n-1].Used != usage.Micros(2*credit) {
			t.Fatalf("byte %d: %v", i, h)
		}
		_ = s.Close()
	}
}

// Two files that are moved aside within a second are both kept.
func TestAsideOverwritesNothing(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	for _, content := range []string{"first", "second", "third"} {
		s := New(Config{Path: path})
		if _, err := s.Salt(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+"-wal", []byte(content+" wal"), 0o600); err != nil {
			t.Fatal(err)
		}
		s = New(Config{Path: path})
		s.found = stat(t, path)
		if err := s.moveAside(noon); err != nil {
			t.Fatal(err)
		}
		equal(t, namesIn(t, filepath.Dir(path)), asideOf(t, path))
	}
	var kept []string
	for _, name := range asideOf(t, path) {
		dir := filepath.Join(filepath.Dir(path), name)
		kept = append(kept, name, contents(t, filepath.Join(dir, "history.db")), contents(t, filepath.Join(dir, "history.db-wal")))
	}
	equal(t, kept, []string{
		"history-unreadable-20260203-120000", "first", "first wal",
		"history-unreadable-20260203-120000-2", "second", "second wal",
		"history-unreadable-20260203-120000-3", "third", "third wal",
	})
}

func stat(tb testing.TB, path string) os.FileInfo {
	tb.Helper()
	info, err := os.Stat(path)
	if err != nil {
		tb.Fatal(err)
	}
	return info
}

// A file that another process has put in place of the damaged one stays.
func TestAsideLeavesTheNextFile(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(filepath.Dir(path), "damaged")
	for _, name := range []string{damaged, path} {
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := New(Config{Path: path})
	s.found = stat(t, damaged)
	if err := s.moveAside(noon); err != nil {
		t.Fatal(err)
	}
	equal(t, namesIn(t, filepath.Dir(path)), []string{"damaged", "history.db"})
}

// A file of a newer version is left alone, byte for byte, and the store works
// from memory.
func TestNewerFile(t *testing.T) {
	t.Parallel()
	path := populated(t)
	db := raw(t, path)
	mustExec(t, db, "PRAGMA journal_mode = DELETE")
	mustExec(t, db, "PRAGMA user_version = 99")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, old := contents(t, path), stat(t, path)
	var log probetest.Log
	s := openIn(t, path, time.UTC, &log)
	for i := range 3 {
		h := s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Duration(i)*time.Hour), credits(int64(i)*credit)))
		equal(t, len(h[usage.PromptCredits].Samples), i+1)
	}
	_, err := s.Days(t.Context(), time.Time{})
	if !strings.Contains(say.Sentence(err, ""), "newer Windsock") || say.Exit(err) != 1 {
		t.Errorf("days: %v", err)
	}
	equal(t, s.Notice(), errNewer.Sentence())
	equal(t, strings.Count(log.String(), "level=WARN"), 1)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	equal(t, contents(t, path), before)
	equal(t, namesIn(t, filepath.Dir(path)), []string{"history.db"})
	equal(t, stat(t, path).ModTime(), old.ModTime())

	// The older version comes back, and so does history.
	mustExec(t, raw(t, path), fmt.Sprintf("PRAGMA user_version = %d", len(steps)))
	s = openIn(t, path, time.UTC, &log)
	s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(credit)))
	equal(t, s.Notice(), "")
}

func TestMissingParents(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a", "b", "c", "history.db")
	s := open(t, path)
	s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(credit)))
	equal(t, figures(allSamples(t, path)), []int64{1})
}

func TestEmptyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	if samples, err := s.Samples(t.Context(), time.Time{}); err != nil || samples != nil {
		t.Error(samples, err)
	}
	s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(credit)))
	equal(t, figures(allSamples(t, path)), []int64{1})
	equal(t, s.Notice(), "")
}

// A file that is removed under the app is made anew, and one put in its place is used.
func TestFileTakenAway(t *testing.T) {
	t.Parallel()
	if os.PathSeparator == '\\' {
		t.Skip("an open file cannot be taken away")
	}
	path := tempPath(t)
	s := open(t, path)
	s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(credit)))
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Hour), credits(2*credit)))
	equal(t, figures(allSamples(t, path)), []int64{2})

	other := tempPath(t)
	o := open(t, other)
	o.Record(t.Context(), snapshot(account(t, "u"), noon.Add(2*time.Hour), credits(7*credit)))
	if err := errors.Join(o.Close(), os.Rename(other, path)); err != nil {
		t.Fatal(err)
	}
	s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(3*time.Hour), credits(8*credit)))
	equal(t, figures(allSamples(t, path)), []int64{7, 8})
}
