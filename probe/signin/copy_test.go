package signin

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// makeState makes a database that nobody has open, with that value.
func makeState(t *testing.T, path, value string, pragmas ...string) {
	t.Helper()
	conn := openState(t, path, pragmas...)
	execState(t, conn, setKey, value)
	closeState(t, conn)
}

func closeState(t *testing.T, conn *sql.Conn) {
	t.Helper()
	// The connection goes back to its pool, which the driver then empties.
	if err := errors.Join(conn.Raw(func(c any) error { return c.(interface{ Close() error }).Close() }), conn.Close()); err != nil {
		t.Fatal(err)
	}
}

// intrusions are what can happen to a database while it is read, in ways that
// leave as little of a trace as can be: afterwards "new" is in it.
var intrusions = []struct {
	name    string
	intrude func(t *testing.T, path string)
}{
	{"written_to", func(t *testing.T, path string) {
		t.Helper()
		keepTimes(t, path, func() { makeState(t, path, "new") }) // as within one tick of the clock
	}},
	{"replaced", func(t *testing.T, path string) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		keepTimes(t, path, func() {
			next := path + ".next"
			if err := errors.Join(os.WriteFile(next, text, 0o600), os.Rename(next, path)); err != nil {
				t.Fatal(err)
			}
			makeState(t, path, "new")
			restoreHead(t, path, text)
		})
	}},
	{"touched", func(t *testing.T, path string) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		makeState(t, path, "new")
		restoreHead(t, path, text)
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}},
	{"grown", func(t *testing.T, path string) {
		t.Helper()
		keepTimes(t, path, func() { makeState(t, path, "new") })
		if err := os.WriteFile(path+"-wal", []byte{0}, 0o600); err != nil { // too short to count
			t.Fatal(err)
		}
	}},
}

// keepTimes gives the file the time of change that it had before.
func keepTimes(t *testing.T, path string, change func()) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	change()
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// restoreHead writes back the first bytes of the file.
func restoreHead(t *testing.T, path string, text []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt(text[:32], 0); err != nil {
		t.Fatal(err)
	}
}

// What was read of a file that changed meanwhile is thrown away.
func TestReadStateThatChanges(t *testing.T) {
	t.Parallel()
	for _, tt := range intrusions {
		t.Run(tt.name+"_in_place", func(t *testing.T) {
			if tt.name == "written_to" {
				return // a file that has a WAL is not written to without a -wal
			}
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.vscdb")
			makeState(t, path, "old", "journal_mode = WAL")
			r := stateAt(t, path)
			r.query = func(ctx context.Context, at, mode string, q stateQuery) ([]stateRow, error) {
				if at == path {
					tt.intrude(t, path)
					return []stateRow{{authKey, []byte("half old, half new")}}, nil
				}
				return queryState(ctx, at, mode, q)
			}
			checkNew(t, r)
		})
		t.Run(tt.name+"_while_copied", func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.vscdb")
			makeState(t, path, "old")
			if err := os.WriteFile(path+"-wal", nil, 0o600); err != nil { // so that there is a copy
				t.Fatal(err)
			}
			r := stateAt(t, path)
			copies := 0
			r.copy = func(from, to string) error {
				err := copyState(from, to)
				if copies++; copies == 1 {
					tt.intrude(t, path)
				}
				return err
			}
			checkNew(t, r)
			if copies != 2 {
				t.Errorf("copied %d times, want 2", copies)
			}
		})
	}
}

func checkNew(t *testing.T, r stateReader) {
	t.Helper()
	rows, err := r.read(t.Context(), stateQuery{"key = ?", []any{authKey}})
	if err != nil || len(rows) != 1 || string(rows[0].value) != "new" {
		t.Errorf("read = %q, %v; want the value after the change", rows, err)
	}
}

// A file that never keeps still is given up, and one that goes away in the
// middle is no missing sign-in.
func TestReadStateThatCannotBeCopied(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		intrude func(t *testing.T, path string, copies int)
		want    string
	}{
		{"never_still", func(t *testing.T, path string, copies int) {
			t.Helper()
			if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Duration(copies)*time.Minute)); err != nil {
				t.Fatal(err)
			}
		}, "the database changes all the time"},
		{"deleted", func(t *testing.T, path string, _ int) {
			t.Helper()
			_ = os.Remove(path)
		}, "copy database: no such file or directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.vscdb")
			makeState(t, path, "old")
			if err := os.WriteFile(path+"-wal", nil, 0o600); err != nil { // so that there is a copy
				t.Fatal(err)
			}
			r := stateAt(t, path)
			copies := 0
			r.copy = func(from, to string) error {
				err := copyState(from, to)
				copies++
				tt.intrude(t, path, copies)
				return err
			}
			rows, err := r.read(t.Context(), stateQuery{"key = ?", []any{authKey}})
			if err == nil || errors.Is(err, fs.ErrNotExist) || runtime.GOOS == "linux" && err.Error() != tt.want {
				t.Errorf("read = %q, %v; want %s", rows, err, tt.want)
			}
		})
	}
}

// A copy lies in a directory of its own that is nobody else's business.
func TestCopyIsPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.vscdb")
	makeState(t, path, "new")
	if err := os.WriteFile(path+"-wal", nil, 0o644); err != nil { // so that there is a copy
		t.Fatal(err)
	}
	r := stateAt(t, path)
	var got []string
	r.query = func(ctx context.Context, at, mode string, q stateQuery) ([]stateRow, error) {
		if mode != modeReadWrite || filepath.Dir(filepath.Dir(at)) != r.copies[0] {
			t.Errorf("opens %s with %s", at, mode)
		}
		for _, name := range []string{filepath.Dir(at), at, at + "-wal"} {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, info.Mode().String())
		}
		return queryState(ctx, at, mode, q)
	}
	checkNew(t, r)
	if diff := cmp.Diff([]string{"drwx------", "-rw-------", "-rw-------"}, got); diff != "" && runtime.GOOS != "windows" {
		t.Error(diff)
	}
}

// What a process that died has left goes when the next one looks for a sign-in
// or for what the editor keeps.
func TestLeftOversGo(t *testing.T) {
	t.Parallel()
	for name, look := range map[string]func(Dirs){
		"sign_in": func(d Dirs) { d.SignIns(t.Context(), nil, nil) },
		"caches": func(d Dirs) {
			for range d.Caches(t.Context(), nil) {
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			where := Dirs{copies: []string{t.TempDir()}}
			left := filepath.Join(where.copies[0], copyPrefix+"1")
			long := time.Now().Add(-2 * staleCopy)
			if err := errors.Join(os.Mkdir(left, 0o700), os.Chtimes(left, long, long)); err != nil {
				t.Fatal(err)
			}
			look(where)
			if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("still there: %v", err)
			}
		})
	}
}
