package probe

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
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// openState makes a state.vscdb as the editor does and returns a writer that
// has it open.
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

// oddName is a directory's name that is not to be taken for a part of a URI.
var oddName = map[bool]string{false: "a b?#%20", true: "a b#%20"}[runtime.GOOS == "windows"]

const setKey = "INSERT INTO ItemTable VALUES ('windsurfAuthStatus', ?)"

// filesBeside lists what stands beside a database, the -shm aside that a live
// writer rewrites.
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

// Every state in which an editor may have its database: the value that is read
// is the last committed one, and no file is left behind at either place.
func TestReadStateInUse(t *testing.T) {
	tests := []struct {
		name    string
		prepare func(t *testing.T, path string) // leaves "new" committed
	}{
		{"rollback_idle", func(t *testing.T, path string) {
			t.Helper()
			execState(t, openState(t, path), setKey, "new")
		}},
		{"rollback_reserved", func(t *testing.T, path string) {
			t.Helper()
			conn := openState(t, path)
			execState(t, conn, setKey, "new")
			execState(t, conn, "BEGIN IMMEDIATE")
			execState(t, conn, setKey, "uncommitted")
		}},
		{"rollback_exclusive", func(t *testing.T, path string) {
			t.Helper()
			conn := openState(t, path)
			execState(t, conn, setKey, "new")
			execState(t, conn, "BEGIN EXCLUSIVE")
			execState(t, conn, setKey, "uncommitted")
		}},
		{"rollback_spilled_to_disk", func(t *testing.T, path string) {
			t.Helper()
			conn := openState(t, path, "cache_size = 4")
			execState(t, conn, setKey, "new")
			execState(t, conn, "BEGIN")
			execState(t, conn, "UPDATE ItemTable SET value = 'bad'")
			for range 50 {
				execState(t, conn, "INSERT INTO ItemTable VALUES (hex(randomblob(8)), zeroblob(9000))")
			}
			if fileSize(path+"-journal") <= 0 {
				t.Fatal("the journal is not hot")
			}
		}},
		{"wal_open", func(t *testing.T, path string) {
			t.Helper()
			conn := openState(t, path, "journal_mode = WAL")
			execState(t, conn, setKey, "old")
			execState(t, conn, "PRAGMA wal_checkpoint(TRUNCATE)")
			execState(t, conn, setKey, "new")
			execState(t, conn, "BEGIN IMMEDIATE")
			execState(t, conn, setKey, "uncommitted")
		}},
		{"wal_exclusive", func(t *testing.T, path string) {
			t.Helper()
			conn := openState(t, path, "locking_mode = EXCLUSIVE", "journal_mode = WAL")
			execState(t, conn, setKey, "old")
			execState(t, conn, "PRAGMA wal_checkpoint(TRUNCATE)")
			execState(t, conn, setKey, "new")
		}},
		{"wal_nobody", func(t *testing.T, path string) {
			t.Helper()
			conn := openState(t, path, "journal_mode = WAL")
			execState(t, conn, setKey, "new")
			_ = conn.Close()
		}},
		{"wal_after_crash", func(t *testing.T, path string) {
			t.Helper()
			live := path + ".live"
			conn := openState(t, live, "journal_mode = WAL")
			execState(t, conn, setKey, "old")
			execState(t, conn, "PRAGMA wal_checkpoint(TRUNCATE)")
			execState(t, conn, setKey, "new")
			if err := copyState(live, path); err != nil {
				t.Fatal(err)
			}
		}},
		{"utf16_database", func(t *testing.T, path string) {
			t.Helper()
			execState(t, openState(t, path, "encoding = 'UTF-16le'"), setKey, "new")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			runtimeDir := t.TempDir()
			t.Setenv("XDG_RUNTIME_DIR", runtimeDir)
			path := filepath.Join(t.TempDir(), oddName, "state.vscdb")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			tt.prepare(t, path)
			before := filesBeside(t, path)
			value, err := readState(t.Context(), path, authKey)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(decodeText(value)); got != "new" {
				t.Errorf("value = %q, want the committed one", got)
			}
			if diff := cmp.Diff(before, filesBeside(t, path)); diff != "" {
				t.Errorf("files beside the database changed:\n%s", diff)
			}
			if left, _ := os.ReadDir(runtimeDir); len(left) > 0 {
				t.Errorf("left in the runtime directory: %v", left)
			}
		})
	}
}

// Without a runtime directory, as under cron or su, a copy still finds a place.
func TestReadStateWithoutRuntimeDir(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(t.TempDir(), "missing"))
	temp := map[bool]string{false: "TMPDIR", true: "TMP"}[runtime.GOOS == "windows"]
	t.Setenv(temp, t.TempDir())
	path := filepath.Join(t.TempDir(), "state.vscdb")
	conn := openState(t, path)
	execState(t, conn, setKey, "new")
	execState(t, conn, "BEGIN EXCLUSIVE")
	if value, err := readState(t.Context(), path, authKey); err != nil || string(value) != "new" {
		t.Errorf("readState = %q, %v", value, err)
	}
	// Where there is none at all, that is told, and not that nobody is signed in.
	t.Setenv(temp, filepath.Join(t.TempDir(), "missing"))
	if value, err := readState(t.Context(), path, authKey); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("readState without a place = %q, %v", value, err)
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
		{"empty", write(""), "too short for a database"},
		{"other_file", write(strings.Repeat("no database here ", 10)), "no database"},
		{"corrupt", write("SQLite format 3\x00" + strings.Repeat("\x01\xff", 4096)), "not a database"},
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
		}, "no regular file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "state.vscdb")
			tt.prepare(t, path)
			value, err := readState(t.Context(), path, "otherKey")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("readState = %q, %v; want an error with %q", value, err, tt.want)
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
	now := time.Now()
	for name, age := range map[string]time.Duration{
		copyPrefix + "dead": 2 * staleCopy, copyPrefix + "live": time.Second, "other": time.Hour,
	} {
		dir := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "sub"), 0o700), os.Chtimes(dir, now, now.Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	removeStaleCopies(root, now)
	var got []string
	entries, _ := os.ReadDir(root)
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if diff := cmp.Diff([]string{"other", copyPrefix + "live"}, got); diff != "" {
		t.Error(diff)
	}
}

func utf16LE(text string) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return out
}

func TestDecodeText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		value []byte
		want  string
	}{
		{"utf8", []byte(`{"a":"ä"}`), `{"a":"ä"}`},
		{"utf8_with_mark", []byte("\xef\xbb\xbf{}"), "{}"},
		{"utf16", utf16LE(`{"a":"ä€𝄞"}`), `{"a":"ä€𝄞"}`},
		{"utf16_with_mark", append([]byte{0xff, 0xfe}, utf16LE("{}")...), "{}"},
		{"utf16_odd_end", append(utf16LE("{}"), '{'), "{}"},
		{"empty", nil, ""},
		{"one_byte", []byte("{"), "{"},
		{"zeros", []byte{0, 0}, "\x00\x00"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(decodeText(tt.value)); got != tt.want {
				t.Errorf("decodeText = %q, want %q", got, tt.want)
			}
		})
	}
}
