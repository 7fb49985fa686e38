package signin

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/files"
)

// openState makes a state.vscdb like the editor's and returns a writer that keeps it
// open.
func openState(t *testing.T, path string, pragmas ...string) *sql.Conn {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		_ = db.Close()
	})
	for _, pragma := range pragmas {
		execState(t, conn, "PRAGMA "+pragma)
	}
	execState(t, conn, "CREATE TABLE IF NOT EXISTS ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
	return conn
}

func execState(t *testing.T, conn *sql.Conn, query string, args ...any) {
	t.Helper()
	if _, err := conn.ExecContext(context.Background(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

const setKey = "INSERT INTO ItemTable VALUES ('windsurfAuthStatus', ?)"

// filesBeside lists the files beside a database, except the -shm, which a live writer
// rewrites.
func filesBeside(t *testing.T, path string) []string {
	t.Helper()
	found, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	return found
}

// stateAt reads the database at path. A copy must not be left behind.
func stateAt(t *testing.T, path string) database {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left of copies: %v, %v", left, err)
		}
	})
	return database{path, []string{dir}}
}

// Without a runtime directory, as under cron or su, a copy still finds a place. Without
// any place the error says so, and does not report a missing sign-in.
func TestReadStateWithoutPlaceForCopy(t *testing.T) {
	t.Parallel()
	r := stateAt(t, copiedState(t))
	place, missing := r.copies[0], filepath.Join(t.TempDir(), "missing")
	r.copies = []string{missing, place}
	checkNew(t, r)
	for _, r.copies = range [][]string{{missing}, nil} {
		if value, err := r.value(t.Context(), authKey); err == nil || errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), missing) {
			t.Errorf("value without a place = %q, %v", value, err)
		}
	}
}

func TestCopyRoots(t *testing.T) {
	temp := t.TempDir()
	t.Setenv(map[bool]string{false: "TMPDIR", true: "TMP"}[runtime.GOOS == "windows"], temp)
	private := t.TempDir()
	for runtimeDir, want := range map[string][]string{"": {temp}, "relative": {temp}, private: {private, temp}} {
		t.Setenv("XDG_RUNTIME_DIR", runtimeDir)
		if diff := cmp.Diff(want, copyRoots()); diff != "" {
			t.Errorf("with %q (-want +got):\n%s", runtimeDir, diff)
		}
	}
}

func TestReadStateErrors(t *testing.T) {
	t.Parallel()
	write := func(content string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			t.Helper()
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name    string
		prepare func(*testing.T, string)
		want    string
	}{
		{"missing", func(*testing.T, string) {}, syscall.ENOENT.Error()},
		{"empty", write(""), errNoDatabase.Error()},
		{"other_file", write(strings.Repeat("no database here ", 10)), errNoDatabase.Error()},
		{"corrupt", write("SQLite format 3\x00" + strings.Repeat("\x01\xff", 4096)), "not a database"},
		{"truncated", func(t *testing.T, path string) {
			t.Helper()
			execState(t, openState(t, path), setKey, strings.Repeat("long ", 10_000))
			if err := os.Truncate(path, 5000); err != nil {
				t.Fatal(err)
			}
		}, "malformed"},
		{"truncated_to_a_header", func(t *testing.T, path string) {
			t.Helper()
			makeState(t, path, "new", "journal_mode = WAL")
			if err := os.Truncate(path, 100); err != nil {
				t.Fatal(err)
			}
		}, "malformed"},
		{"wal_is_a_directory", func(t *testing.T, path string) {
			t.Helper()
			makeState(t, path, "new")
			if err := os.Mkdir(path+"-wal", 0o700); err != nil {
				t.Fatal(err)
			}
		}, files.ErrNotRegular.Error()},
		{"no_table", func(t *testing.T, path string) {
			t.Helper()
			execState(t, openState(t, path), "DROP TABLE ItemTable")
		}, "no such table"},
		{"no_key", func(t *testing.T, path string) {
			t.Helper()
			execState(t, openState(t, path), setKey, "new")
		}, errNoValue.Error()},
		{"directory", func(t *testing.T, path string) {
			t.Helper()
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, files.ErrNotRegular.Error()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "state.vscdb")
			tt.prepare(t, path)
			value, err := stateAt(t, path).value(t.Context(), "otherKey")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("value = %q, %v; want an error with %q", value, err, tt.want)
			}
			for _, name := range filesBeside(t, path) {
				if name != "state.vscdb" && tt.name != "wal_is_a_directory" {
					t.Errorf("left beside the database: %s", name)
				}
			}
			if err != nil && strings.Contains(err.Error(), dir) {
				t.Errorf("the error names the path: %v", err)
			}
		})
	}
}

func TestRemoveStaleCopies(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, age := range map[string]time.Duration{
		copyPrefix + "dead": 2 * staleCopy, copyPrefix + "live": time.Second, "other": time.Hour,
	} {
		dir := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "sub"), 0o700), os.Chtimes(dir, time.Now(), time.Now().Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	removeStaleCopies([]string{filepath.Join(root, "missing"), root})
	var got []string
	entries, _ := os.ReadDir(root)
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if diff := cmp.Diff([]string{"other", copyPrefix + "live"}, got); diff != "" {
		t.Error(diff)
	}
}
