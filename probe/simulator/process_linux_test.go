package simulator

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
)

// proc reads a NUL-separated file of a process.
func proc(t *testing.T, pid int, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

func gone(t *testing.T, pid int) {
	t.Helper()
	probetest.Eventually(t, "the end of "+strconv.Itoa(pid), func() bool {
		// A zombie counts as gone.
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		return err != nil || bytes.Contains(stat, []byte(") Z "))
	})
}

// The command line is that of a real server of 1.8.2, with the changes since then.
func TestCommandLineAndEnvironment(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		o        Options
		binary   string
		wantArgs string
		wantEnv  []string // ROOT is the root
	}{
		{
			"env",
			Options{IDEName: "windsurf", Env: []string{"LANG=C"}, Args: []string{"--prerelease_mode"}},
			"usr/share/windsurf/resources/app/extensions/windsurf/bin/language_server_linux_x64",
			"--api_server_url https://server.codeium.com --enable_lsp --extension_server_port 36381 --ide_name windsurf " +
				"--random_port --inference_api_server_url https://inference.codeium.com " +
				"--database_dir /home/robin/.codeium/windsurf/database/9c0694567290725d9dcba14ade58e297 " +
				"--enable_index_service --enable_local_search --search_max_workspace_file_count 5000 " +
				"--indexed_files_retention_period_days 30 --workspace_id file_home_robin_example --sentry_telemetry " +
				"--sentry_environment stable --codeium_dir .codeium/windsurf --parent_pipe_path /tmp/server_00112233aabbccdd " +
				"--windsurf_version 3.4.27 --stdin_initial_metadata --prerelease_mode",
			[]string{"CODEIUM_EDITOR_APP_ROOT=ROOT/usr/share/windsurf/resources/app", "WINDSOCK_SIMULATOR=1", "WINDSURF_CSRF_TOKEN=tok", "LANG=C"},
		},
		{
			"flag_equals_next",
			Options{IDEName: "windsurf-next", Token: TokenFlag, Equals: true, App: "usr/share/windsurf-next"},
			"usr/share/windsurf-next/resources/app/extensions/windsurf/bin/language_server_linux_x64",
			"--api_server_url=https://server.codeium.com --enable_lsp --extension_server_port=36381 --ide_name=windsurf-next " +
				"--csrf_token=tok --random_port --inference_api_server_url=https://inference.codeium.com " +
				"--database_dir=/home/robin/.codeium/windsurf-next/database/9c0694567290725d9dcba14ade58e297 " +
				"--enable_index_service --enable_local_search --search_max_workspace_file_count=5000 " +
				"--indexed_files_retention_period_days=30 --workspace_id=file_home_robin_example --sentry_telemetry " +
				"--sentry_environment=stable --codeium_dir=.codeium/windsurf-next --parent_pipe_path=/tmp/server_00112233aabbccdd " +
				"--windsurf_version=3.4.27",
			[]string{"CODEIUM_EDITOR_APP_ROOT=ROOT/usr/share/windsurf-next/resources/app", "WINDSOCK_SIMULATOR=1"},
		},
		{
			"no_token_no_name",
			Options{Token: TokenNone, App: "opt/antigravity", RunChild: true},
			"opt/antigravity/resources/app/extensions/antigravity/bin/language_server_linux_x64",
			"--api_server_url https://server.codeium.com --run_child --enable_lsp --extension_server_port 36381 " +
				"--random_port --inference_api_server_url https://inference.codeium.com " +
				"--database_dir /home/robin/.codeium/windsurf/database/9c0694567290725d9dcba14ade58e297 " +
				"--enable_index_service --enable_local_search --search_max_workspace_file_count 5000 " +
				"--indexed_files_retention_period_days 30 --workspace_id file_home_robin_example --sentry_telemetry " +
				"--sentry_environment stable --codeium_dir .codeium/windsurf --parent_pipe_path /tmp/server_00112233aabbccdd " +
				"--windsurf_version 3.4.27",
			[]string{"CODEIUM_EDITOR_APP_ROOT=ROOT/opt/antigravity/resources/app", "WINDSOCK_SIMULATOR=1"},
		},
		{
			"antigravity_app",
			Options{Config: Config{Antigravity: AntigravityApp}, Home: "/home/robin"},
			"opt/Antigravity/resources/bin/language_server",
			"--standalone --override_ide_name antigravity --override_ide_version 2.3.1 --csrf_token tok " +
				"--https_server_port 0 --app_data_dir antigravity",
			[]string{"WINDSOCK_SIMULATOR=1", "HOME=/home/robin"},
		},
		{
			"antigravity_ide",
			Options{Config: Config{Antigravity: AntigravityIDE}, Equals: true},
			"usr/share/antigravity-ide/resources/app/extensions/antigravity/bin/language_server_linux_x64",
			"--enable_lsp --csrf_token=tok --extension_server_port=57372 " +
				"--extension_server_csrf_token=1f91bed0-31f4-477b-9304-052df985af2b --workspace_id=file_home_robin_example " +
				"--app_data_dir=antigravity-ide",
			[]string{"WINDSOCK_SIMULATOR=1"},
		},
		{
			"antigravity_no_token",
			Options{Config: Config{Antigravity: AntigravityApp}, Token: TokenNone, App: "opt/Antigravity 2"},
			"opt/Antigravity 2/resources/bin/language_server",
			"--standalone --override_ide_name antigravity --override_ide_version 2.3.1 --https_server_port 0 --app_data_dir antigravity",
			[]string{"WINDSOCK_SIMULATOR=1"},
		},
		{"agy", Options{Config: Config{Antigravity: AntigravityCLI}}, "home/robin/.local/bin/agy", "", []string{"WINDSOCK_SIMULATOR=1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.o.Root, tt.o.Config.Token = t.TempDir(), "tok"
			p := launch(t, tt.o)
			for _, pid := range p.PIDs() {
				want := append([]string{filepath.Join(tt.o.Root, tt.binary)}, strings.Fields(tt.wantArgs)...)
				if pid == p.Ready().ChildPID {
					want = strings.Fields(strings.Replace(strings.Join(want, " "), "--run_child ", "", 1))
				}
				if diff := cmp.Diff(want, proc(t, pid, "cmdline")); diff != "" {
					t.Errorf("command line of %d (-want +got):\n%s", pid, diff)
				}
				var env []string
				for _, v := range tt.wantEnv {
					env = append(env, strings.Replace(v, "=ROOT/", "="+tt.o.Root+"/", 1))
				}
				if diff := cmp.Diff(env, proc(t, pid, "environ")); diff != "" {
					t.Errorf("environment of %d (-want +got):\n%s", pid, diff)
				}
			}
		})
	}
}

// Only the child listens, on its two ports.
func TestWhoListens(t *testing.T) {
	t.Parallel()
	p := launch(t, Options{RunChild: true})
	listening := map[string]bool{}
	table, err := os.ReadFile("/proc/self/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" {
			listening["socket:["+f[9]+"]"] = true
		}
	}
	count := func(pid int) (n int) {
		fds, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "fd", "*"))
		for _, fd := range fds {
			if target, _ := os.Readlink(fd); listening[target] {
				n++
			}
		}
		return n
	}
	if parent, child := count(p.Ready().PID), count(p.Ready().ChildPID); parent != 0 || child != 2 {
		t.Errorf("sockets of parent and child: %d, %d, want 0, 2", parent, child)
	}
}

// kill refuses a PID of zero, which would be the test's whole process group.
func kill(t *testing.T, pid int) {
	t.Helper()
	if pid <= 1 {
		t.Fatalf("no such process: %d", pid)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

func TestKilled(t *testing.T) {
	t.Parallel()
	for _, child := range []bool{false, true} {
		p := launch(t, Options{RunChild: child})
		kill(t, p.Ready().PID)
		<-p.Done()
		for _, pid := range p.PIDs() {
			gone(t, pid)
		}
	}
}

// starterEnv makes the test binary start a server and print its processes.
const starterEnv = "SIMULATOR_TEST_STARTER"

func TestStarter(t *testing.T) {
	root := os.Getenv(starterEnv)
	if root == "" {
		t.Skip("the other half of TestKilledStarter")
	}
	p, err := Start(t.Context(), Options{Root: root, RunChild: true})
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString(strconv.Itoa(p.PIDs()[0]) + " " + strconv.Itoa(p.PIDs()[1]) + "\n")
	<-p.Done() // not closed before the starter is killed
}

func TestKilledStarter(t *testing.T) {
	t.Parallel()
	starter := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestStarter$")
	starter.Env = append(os.Environ(), starterEnv+"="+t.TempDir())
	stdout, err := starter.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := starter.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 64)
	n, _ := stdout.Read(buf)
	pids := strings.Fields(string(buf[:n]))
	if len(pids) != 2 {
		t.Fatalf("it said %q", buf[:n])
	}
	starter.Process.Kill()
	starter.Wait()
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		gone(t, pid)
	}
}

// If the tree is on another file system the program is copied. It starts even if
// another process, such as one just forked, holds the copy open for writing for a
// while.
func TestCopy(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	target := filepath.Join(root, binaryPath("usr/share/windsurf"))
	if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o755), copyProgram(exe, target)); err != nil {
		t.Fatal(err)
	}
	busy, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { busy.Close() })
	launch(t, Options{Root: root})
}
