package simulator

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// inAnHour is when what a test makes is old enough.
func inAnHour() time.Time { return time.Now().Add(time.Hour) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestSweep(t *testing.T) {
	t.Parallel()
	dead := func(t *testing.T, tmp string) string {
		t.Helper()
		dir := filepath.Join(tmp, placePrefix+"123")
		write := func(name string) {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(filepath.Join(dir, "home", ".config", "state.vscdb"))
		write(filepath.Join(dir, lockName))
		return dir
	}
	tests := []struct {
		name string
		now  time.Time
		// left makes what a sweep meets below tmp.
		left func(t *testing.T, tmp string) string
		want bool
	}{
		{"of_a_dead_demo", inAnHour(), dead, false},
		{"just_made", time.Now().Add(30 * time.Second), dead, true},
		{"of_a_running_demo", inAnHour(), func(t *testing.T, tmp string) string {
			t.Helper()
			dir, leave, err := newPlace(tmp)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := leave(); err != nil || exists(dir) {
					t.Errorf("leave: %v, still there %v", err, exists(dir))
				}
			})
			return dir
		}, true},
		{"without_a_lock", inAnHour(), func(t *testing.T, tmp string) string {
			t.Helper()
			dir := dead(t, tmp)
			os.Remove(filepath.Join(dir, lockName))
			return dir
		}, true},
		{"of_another_name", inAnHour(), func(t *testing.T, tmp string) string {
			t.Helper()
			other := filepath.Join(tmp, "windsock-123")
			os.Rename(dead(t, tmp), other)
			return other
		}, true},
		{"link", inAnHour(), func(t *testing.T, tmp string) string {
			t.Helper()
			link := filepath.Join(tmp, placePrefix+"link")
			// Wine 8 says that it has made one.
			if err := os.Symlink(dead(t, t.TempDir()), link); err != nil || !exists(link) {
				t.Skip("there are no links: ", err)
			}
			return link
		}, true},
		{"file", inAnHour(), func(t *testing.T, tmp string) string {
			t.Helper()
			name := filepath.Join(tmp, placePrefix+"file")
			os.WriteFile(name, nil, 0o600)
			return name
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tmp := t.TempDir()
			path := tt.left(t, tmp)
			sweep(tmp, tt.now)
			if got := exists(path); got != tt.want {
				t.Errorf("there: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestSweepOfNowhere(t *testing.T) {
	t.Parallel()
	sweep(filepath.Join(t.TempDir(), "nowhere"), inAnHour())
}

// demoEnv makes the test binary run a demo until it is killed.
const demoEnv = "SIMULATOR_TEST_DEMO"

func TestDemoUntilKilled(t *testing.T) {
	if os.Getenv(demoEnv) == "" {
		t.Skip("the other half of TestSweepAfterKill")
	}
	err := demonstrate(t.Context(), Config{}, func(demo Demo) error {
		os.Stdout.WriteString(filepath.Dir(demo.Home) + "\n")
		select {}
	})
	t.Fatal(err)
}

// The lock of a demo that is killed is let go, although its server has been
// started while it was held.
func TestSweepAfterKill(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	demo := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDemoUntilKilled$")
	demo.Env = append(os.Environ(), demoEnv+"=1", "TMPDIR="+tmp, "TMP="+tmp)
	stdout, err := demo.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1024)
	n, _ := stdout.Read(buf)
	dir := strings.TrimSpace(string(buf[:n]))
	sweep(tmp, inAnHour())
	if !exists(filepath.Join(dir, "home")) {
		t.Errorf("the place of a running demo is gone; it said %q", dir)
	}
	demo.Process.Kill()
	demo.Wait()
	eventually(t, "the place to go", func() bool {
		sweep(tmp, inAnHour())
		return !exists(dir)
	})
}
