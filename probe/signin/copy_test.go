package signin

import (
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

// makeState makes a database with that value and closes it.
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

// intrusions are ways to change a database during a read with as little trace as
// possible. Afterwards it holds "new".
var intrusions = []struct {
	name    string
	intrude func(t *testing.T, path string)
}{
	{"written_to", func(t *testing.T, path string) {
		t.Helper()
		keepTimes(t, path, func() { makeState(t, path, "new") }) // as within one tick of the clock
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

// keepTimes restores the file's modification time after a change.
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

// A change of the database changes its stamp, which reveals a disturbed read.
func TestStamp(t *testing.T) {
	t.Parallel()
	for _, tt := range intrusions {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.vscdb")
			makeState(t, path, "old")
			before := stampOf(path)
			if before != stampOf(path) {
				t.Error("two stamps of one state differ")
			}
			tt.intrude(t, path)
			if before == stampOf(path) {
				t.Error("the change is not seen")
			}
		})
	}
}

// A file that disappears before the copy is not reported as a missing sign-in.
func TestCopyOfNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := copyState(filepath.Join(dir, "state.vscdb"), filepath.Join(dir, "copy"))
	if err == nil || errors.Is(err, fs.ErrNotExist) || runtime.GOOS == "linux" && err.Error() != "copy database: no such file or directory" {
		t.Errorf("%v", err)
	}
}

// A copy is in its own directory, which other users cannot read, and is removed after
// the read.
func TestCopyIsPrivate(t *testing.T) {
	t.Parallel()
	path := copiedState(t)
	dir, err := makeCopyDir([]string{t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "state.vscdb")
	if err := copyState(path, copied); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range []string{dir, copied, copied + "-wal"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, info.Mode().String())
	}
	if diff := cmp.Diff([]string{"drwx------", "-rw-------", "-rw-------"}, got); diff != "" && runtime.GOOS != "windows" {
		t.Error(diff)
	}
	checkNew(t, stateAt(t, path))
}

// copiedState makes a database that must be read as a copy.
func copiedState(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "state.vscdb")
	makeState(t, path, "new")
	if err := os.WriteFile(path+"-wal", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func checkNew(t *testing.T, d database) {
	t.Helper()
	if value, err := d.value(t.Context(), authKey); err != nil || string(decodeText(value)) != "new" {
		t.Errorf("value = %q, %v; want the value that was written last", value, err)
	}
}

// Reading a sign-in or a cache removes the copies of processes that died.
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
