package signin

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"windsock/probe/files"
	"windsock/probe/probetest"
)

// Files that an ordinary user cannot read or write. The value is right or the error
// names the cause: with an unreadable -wal, older rows are no substitute.
func TestReadStateWithoutPermission(t *testing.T) {
	if !probetest.AsOrdinaryUser(t) {
		return
	}
	wal := "journal_mode = WAL"
	crash := func(t *testing.T, path string) {
		t.Helper()
		w := startWriter(t, path, wal)
		w.do("PRAGMA wal_checkpoint(TRUNCATE)", writeKey("new"))
		w.kill()
	}
	tests := []struct {
		name    string
		prepare func(t *testing.T, path string)
		closed  []string // files of mode 0
		dir     os.FileMode
		want    string // in the error; empty if there is a value
	}{
		{"file_unreadable", func(t *testing.T, path string) { t.Helper(); makeState(t, path, "new") }, []string{""}, 0o700, "permission denied"},
		{"directory_closed", func(t *testing.T, path string) { t.Helper(); makeState(t, path, "new") }, nil, 0, "permission denied"},
		{"directory_read_only", func(t *testing.T, path string) { t.Helper(); makeState(t, path, "new") }, nil, 0o500, ""},
		{"directory_read_only_wal", func(t *testing.T, path string) { t.Helper(); makeState(t, path, "new", wal) }, nil, 0o500, ""},
		{"directory_read_only_wal_crashed", crash, nil, 0o500, ""},
		{"directory_read_only_wal_without_shm", func(t *testing.T, path string) {
			t.Helper()
			crash(t, path)
			if err := os.Remove(path + "-shm"); err != nil {
				t.Fatal(err)
			}
		}, nil, 0o500, ""},
		{"directory_read_only_hot_journal", func(t *testing.T, path string) {
			t.Helper()
			w := startWriter(t, path)
			w.do(writeKey("new"))
			w.do(spilled...)
			w.kill()
		}, nil, 0o500, ""},
		{"wal_unreadable", crash, []string{"-wal"}, 0o700, "permission denied"},
		{"shm_unreadable", crash, []string{"-shm"}, 0o700, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "globalStorage")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "state.vscdb")
			tt.prepare(t, path)
			before := besideState(t, path)
			for _, suffix := range tt.closed {
				if err := os.Chmod(path+suffix, 0); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(dir, tt.dir); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
			r := stateAt(t, path)
			r.copies = append([]string{"/proc/1"}, r.copies...) // after su it belongs to another user
			value, err := r.value(t.Context(), authKey)
			switch {
			case tt.want == "" && (err != nil || string(value) != "new"):
				t.Errorf("value = %q, %v; want the committed value", value, err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), dir)):
				t.Errorf("value = %q, %v; want an error with %q and without the path", value, err, tt.want)
			}
			if err := os.Chmod(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, besideState(t, path)); diff != "" {
				t.Errorf("files beside the database (-before +after):\n%s", diff)
			}
		})
	}
}

// A pipe may be beside a database; opening it blocks.
func TestReadStateBesideAPipe(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		for _, pragma := range []string{"journal_mode = DELETE", "journal_mode = WAL"} {
			t.Run(suffix+pragma, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "state.vscdb")
				makeState(t, path, "new", pragma)
				_ = os.Remove(path + suffix)
				if err := unix.Mkfifo(path+suffix, 0o600); err != nil {
					t.Fatal(err)
				}
				told := make(chan error, 1)
				go func() { // ends at the latest when the pipe has its other end
					_, err := database{path, []string{t.TempDir()}}.value(t.Context(), authKey)
					told <- err
				}()
				select {
				case err := <-told:
					if err == nil || !strings.Contains(err.Error(), files.ErrNotRegular.Error()) {
						t.Errorf("error = %v", err)
					}
				case <-time.After(20 * time.Second):
					t.Error("the read hangs")
					other, err := os.OpenFile(path+suffix, os.O_RDWR, 0)
					if err != nil {
						t.Fatal(err)
					}
					<-told
					_ = other.Close()
				}
			})
		}
	}
}

// A read must not block on a pipe in place of a file.
func TestFindKeysRefusesPipes(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	where := Below(home)
	for _, file := range []string{statePath(where.Config, "Windsurf"), filepath.Join(home, ".codeium", "config.json")} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := where.Keys(where.SignIns(t.Context(), windsurfDirs, nil))
	want := "Windsurf/User/globalStorage/state.vscdb: it is no ordinary file\n.codeium/config.json: it is no ordinary file"
	if err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}
