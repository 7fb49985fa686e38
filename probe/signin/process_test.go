package signin

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The writers of this file are separate processes, like the editor: a process's locks
// do not exclude itself, and only a process can crash.

// writerFile is the environment variable with the database's path. It turns
// TestStateWriter into the writer.
const writerFile = "WINDSOCK_TEST_WRITER"

// stateWriter is a process that has a database open.
type stateWriter struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// startWriter starts a writer on a database with the editor's table and "old" in the
// row of the sign-in.
func startWriter(t *testing.T, path string, pragmas ...string) *stateWriter {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestStateWriter$")
	cmd.Env = append(os.Environ(), writerFile+"="+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &stateWriter{t: t, cmd: cmd, in: in, out: bufio.NewScanner(out)}
	t.Cleanup(w.kill)
	for _, pragma := range pragmas {
		w.do("PRAGMA " + pragma)
	}
	w.do("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)", writeKey("old"))
	return w
}

// do makes the writer run statements, and waits for them.
func (w *stateWriter) do(statements ...string) {
	w.t.Helper()
	for _, statement := range statements {
		w.send(statement)
		w.await(statement)
	}
}

// await waits until a sent statement has run.
func (w *stateWriter) await(statement string) {
	w.t.Helper()
	if !w.out.Scan() || w.out.Text() != "done" {
		w.t.Fatalf("%s: %q", statement, w.out.Text())
	}
}

// send makes the writer run a statement, without waiting for it.
func (w *stateWriter) send(statement string) {
	w.t.Helper()
	if err := json.NewEncoder(w.in).Encode(statement); err != nil {
		w.t.Fatal(err)
	}
}

// kill ends the process like a crash.
func (w *stateWriter) kill() {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
}

// quit makes the process close its database and end.
func (w *stateWriter) quit() {
	w.t.Helper()
	if err := w.in.Close(); err != nil {
		w.t.Fatal(err)
	}
	for w.out.Scan() {
	}
	if err := w.cmd.Wait(); err != nil {
		w.t.Fatal(err)
	}
}

// TestStateWriter is the writer process: it runs one statement per line, until its
// input ends. "loop" writes two rows with the same value, again and again.
func TestStateWriter(t *testing.T) {
	path := os.Getenv(writerFile)
	if path == "" {
		t.Skip("is the writer of other tests")
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path)}).String())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	lines := json.NewDecoder(os.Stdin)
	for {
		var statement string
		if err := lines.Decode(&statement); err != nil {
			break
		}
		if statement == "loop" {
			writePairs(t, db)
		}
		answer := "done\n"
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			answer = err.Error() + "\n"
		}
		_, _ = os.Stdout.WriteString(answer)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// writePairs writes the same large value to two rows, one transaction each time, until
// the process ends.
func writePairs(t *testing.T, db *sql.DB) {
	t.Helper()
	_, _ = os.Stdout.WriteString("done\n")
	for i := 0; ; i++ {
		// A reader may hold the lock for a moment.
		_, _ = db.ExecContext(t.Context(), "INSERT INTO ItemTable SELECT key, ? FROM (SELECT 'a' AS key UNION SELECT 'b')",
			strings.Repeat(fmt.Sprint(i%10), 60_000))
	}
}

// oddName is a directory name with characters that are special in a URI.
var oddName = map[bool]string{false: "a b?#%20", true: "a b#%20"}[runtime.GOOS == "windows"]

func writeKey(value string) string {
	return "INSERT INTO ItemTable VALUES ('windsurfAuthStatus', '" + value + "')"
}

// spilled begins a transaction larger than the cache, so that some of its pages are in
// the file before the commit.
var spilled = []string{
	"PRAGMA cache_size = 4", "BEGIN", "UPDATE ItemTable SET value = 'uncommitted'",
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 50) INSERT INTO ItemTable SELECT hex(randomblob(8)), zeroblob(9000) FROM n",
}

// Every state in which an editor may have or leave its database: the read returns the
// last committed value, changes no file, and leaves none behind in either place.
func TestReadStateOfAnotherProcess(t *testing.T) {
	t.Parallel()
	wal := "journal_mode = WAL"
	tests := []struct {
		name    string
		prepare func(t *testing.T, path string) // leaves "new" committed
		beside  []string                        // the files beside the database afterwards
	}{
		{"rollback_idle", func(t *testing.T, path string) {
			t.Helper()
			startWriter(t, path).do(writeKey("new"))
		}, nil},
		{"rollback_reserved", func(t *testing.T, path string) {
			t.Helper()
			startWriter(t, path).do(writeKey("new"), "BEGIN IMMEDIATE", writeKey("uncommitted"))
		}, []string{"-journal"}},
		{"rollback_exclusive", func(t *testing.T, path string) {
			t.Helper()
			startWriter(t, path).do(writeKey("new"), "BEGIN EXCLUSIVE", writeKey("uncommitted"))
		}, []string{"-journal"}},
		{"rollback_exclusive_spilled", func(t *testing.T, path string) {
			t.Helper()
			w := startWriter(t, path)
			w.do(writeKey("new"))
			w.do(spilled...)
		}, []string{"-journal"}},
		{"rollback_locked_for_good", func(t *testing.T, path string) {
			t.Helper()
			startWriter(t, path, "locking_mode = EXCLUSIVE").do(writeKey("new"))
		}, []string{"-journal"}},
		{"rollback_journal_kept", func(t *testing.T, path string) {
			t.Helper()
			startWriter(t, path, "journal_mode = PERSIST").do(writeKey("new"))
		}, []string{"-journal"}},
		{"rollback_hot_journal", func(t *testing.T, path string) {
			t.Helper()
			w := startWriter(t, path)
			w.do(writeKey("new"))
			w.do(spilled...)
			w.kill()
		}, []string{"-journal"}},
		{"wal_open", func(t *testing.T, path string) {
			t.Helper()
			w := startWriter(t, path, wal)
			w.do("PRAGMA wal_checkpoint(TRUNCATE)", writeKey("new"))
			w.do(spilled...)
		}, []string{"-shm", "-wal"}},
		{"wal_open_and_empty", func(t *testing.T, path string) {
			t.Helper()
			startWriter(t, path, wal).do(writeKey("new"), "PRAGMA wal_checkpoint(TRUNCATE)", "BEGIN IMMEDIATE", writeKey("uncommitted"))
		}, []string{"-shm", "-wal"}},
		{"wal_exclusive", func(t *testing.T, path string) {
			t.Helper()
			w := startWriter(t, path, "locking_mode = EXCLUSIVE", wal)
			w.do("PRAGMA wal_checkpoint(TRUNCATE)", writeKey("new"))
			w.do(spilled...)
		}, []string{"-wal"}},
		{"wal_nobody", func(t *testing.T, path string) {
			t.Helper()
			w := startWriter(t, path, wal)
			w.do(writeKey("new"))
			w.quit()
		}, nil},
		{"wal_crashed", func(t *testing.T, path string) {
			t.Helper()
			w := startWriter(t, path, wal)
			w.do("PRAGMA wal_checkpoint(TRUNCATE)", writeKey("new"))
			w.do(spilled...)
			w.kill()
		}, []string{"-shm", "-wal"}},
		{"wal_crashed_without_shm", func(t *testing.T, path string) {
			t.Helper()
			w := startWriter(t, path, wal)
			w.do("PRAGMA wal_checkpoint(TRUNCATE)", writeKey("new"))
			w.kill()
			if err := os.Remove(path + "-shm"); err != nil {
				t.Fatal(err)
			}
		}, []string{"-wal"}},
		{"wal_of_a_file_without", func(t *testing.T, path string) {
			t.Helper()
			w := startWriter(t, path)
			w.do(writeKey("new"))
			w.quit()
			if err := os.WriteFile(path+"-wal", nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, []string{"-wal"}},
		{"utf16_database", func(t *testing.T, path string) {
			t.Helper()
			startWriter(t, path, "encoding = 'UTF-16le'").do(writeKey("new"))
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), oddName, "state.vscdb")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			tt.prepare(t, path)
			if diff := cmp.Diff(tt.beside, besideState(t, path)); diff != "" {
				t.Fatalf("not the state that is meant, beside the database there is (-want +got):\n%s", diff)
			}
			before := stateBytes(t, path)
			checkNew(t, stateAt(t, path))
			if diff := cmp.Diff(tt.beside, besideState(t, path)); diff != "" {
				t.Errorf("files beside the database (-before +after):\n%s", diff)
			}
			for suffix, content := range stateBytes(t, path) {
				if content != before[suffix] {
					t.Errorf("the database's file %q changed", suffix)
				}
			}
		})
	}
}

// besideState lists the suffixes of the files beside a database.
func besideState(t *testing.T, path string) (suffixes []string) {
	t.Helper()
	for _, name := range filesBeside(t, path) {
		if suffix := strings.TrimPrefix(name, filepath.Base(path)); suffix != "" {
			suffixes = append(suffixes, suffix)
		}
	}
	return suffixes
}

func stateBytes(t *testing.T, path string) map[string]string {
	t.Helper()
	content := map[string]string{}
	for _, suffix := range stateFiles {
		text, err := os.ReadFile(path + suffix)
		if err == nil {
			content[suffix] = string(text)
		}
	}
	return content
}

// A read waits for a short lock: there is no place for a copy, and the value is the one
// that the writer committed meanwhile.
func TestReadStateWaits(t *testing.T) { // not parallel: it is about time
	path := filepath.Join(t.TempDir(), "state.vscdb")
	w := startWriter(t, path, "synchronous = OFF")
	for try := 1; ; try++ {
		want := fmt.Sprintf("new %d", try)
		w.do("BEGIN EXCLUSIVE", writeKey(want))
		committing := make(chan struct{})
		time.AfterFunc(busyTimeout/4, func() {
			defer close(committing)
			_, _ = io.WriteString(w.in, "\"COMMIT\"\n")
		})
		value, err := database{path, nil}.value(t.Context(), authKey)
		if err == nil && string(value) == want {
			return
		}
		if try == 10 { // on a busy machine the writer may take longer than the reader waits
			t.Fatalf("value = %q, %v; want the value after the lock", value, err)
		}
		<-committing
		w.await("COMMIT")
	}
}

// A read waits for a lock, but not for ever.
func TestReadStateOfALockedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.vscdb")
	startWriter(t, path).do(writeKey("new"), "BEGIN EXCLUSIVE")
	started := time.Now()
	checkNew(t, stateAt(t, path))
	if took := time.Since(started); took < busyTimeout {
		t.Errorf("took %v, want at least %v", took, busyTimeout)
	}
}

// A database too large to copy is still read in place. If that fails, the error says
// why.
func TestReadStateTooLarge(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.vscdb")
	w := startWriter(t, path)
	w.do(writeKey("new"))
	if err := os.Truncate(path, 600<<20); err != nil { // sparse
		t.Fatal(err)
	}
	checkNew(t, stateAt(t, path)) // read in place
	w.do("BEGIN EXCLUSIVE")
	const want = "the database is in use and, with 600 MB, too large to copy"
	if value, err := stateAt(t, path).value(t.Context(), authKey); err == nil || err.Error() != want {
		t.Errorf("value = %q, %v; want %s", value, err, want)
	}
}

// While a writer commits one transaction after another, a read returns a whole
// transaction, however the file is locked.
func TestReadStateWhileItIsWritten(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		pragmas []string
	}{
		{"rollback", nil},
		{"rollback_locked", []string{"locking_mode = EXCLUSIVE"}},
		{"wal", []string{"journal_mode = WAL"}},
		{"wal_locked", []string{"locking_mode = EXCLUSIVE", "journal_mode = WAL", "wal_autocheckpoint = 20"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.vscdb")
			startWriter(t, path, append(tt.pragmas, "synchronous = OFF")...).do("INSERT INTO ItemTable VALUES ('a', ''), ('b', '')", "loop")
			for range 6 {
				rows, err := stateAt(t, path).rows(t.Context(), "key IN ('a', 'b')")
				if errors.Is(err, errChanges) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if len(rows) != 2 || string(rows[0].value) != string(rows[1].value) {
					t.Fatal("read a part of a transaction")
				}
			}
		})
	}
}
