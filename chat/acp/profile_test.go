package acp

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/probe/probetest"
)

func TestRootOf(t *testing.T) {
	t.Parallel()
	root := filepath.Join(string(filepath.Separator), "usr", "share", "devin-desktop", "resources", "app")
	tests := []struct{ name, server, want string }{
		{"editor", filepath.Join(root, "extensions", "windsurf", "bin", "language_server_linux_x64"), root},
		{"plugin", filepath.Join(root, "windsurf", "bin", "language_server"), ""},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := RootOf(tt.server); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// install writes an empty program.
func install(t *testing.T, mode os.FileMode, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, nil, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil { // whatever the mask
		t.Fatal(err)
	}
	return name
}

// TestFind: beside the editor first, then on the PATH, then in the usual directories.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	home, bin, root := filepath.Join(dir, "home"), filepath.Join(dir, "bin"), filepath.Join(dir, "app")
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("LOCALAPPDATA", dir)
	t.Setenv("PATH", bin)
	devin := Devin // under a name that no computer has
	devin.programs, devin.editors = []string{"windsock-test-devin"}, nil
	code := func(p Profile, roots ...string) (string, chat.Code) {
		path, err := p.choose(p.candidates(roots))
		return path, asked{err: err}.code()
	}
	if path, got := code(devin, root); path != "" || got != chat.AgentMissing {
		t.Errorf("nothing there: %s, %s", path, got)
	}
	steps := []struct{ name, path string }{
		{"known_directory", install(t, 0o755, home, ".local", "bin", devin.programs[0])},
		{"path", install(t, 0o755, bin, devin.programs[0])},
		{"editor", install(t, 0o755, root, "extensions", "windsurf", "devin", "bin", devin.programs[0])},
	}
	for _, step := range slices.Backward(steps) {
		if path, got := code(devin, root); path != step.path || got != "" {
			t.Errorf("%s: %s, %s", step.name, path, got)
		}
		if err := os.Remove(step.path); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS != "windows" {
		install(t, 0o644, bin, devin.programs[0])
		if path, got := code(devin, root); got != chat.AgentMissing {
			t.Errorf("not executable: %s, %s", path, got)
		}
	}
	own := install(t, 0o755, dir, "own")
	if path, got := code(Custom([]string{own, "acp"}, nil)); path != own || got != "" {
		t.Errorf("a command's own path: %s, %s", path, got)
	}
	for _, command := range [][]string{nil, {"./own"}, {"own"}, {""}} {
		if path, got := code(Custom(command, nil)); got != chat.AgentMissing {
			t.Errorf("%q: %s, %s", command, path, got)
		}
	}
}

// TestFindGuarded: a program that everybody may replace is not started.
func TestFindGuarded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are not looked at there")
	}
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("PATH", "")
	program := install(t, 0o755, dir, "app", "bin", "agent")
	tests := []struct {
		name string
		path string
		mode os.FileMode
		code chat.Code
	}{
		{"plain", program, 0o755, ""},
		{"group", filepath.Dir(program), 0o775, ""},
		{"file", program, 0o757, chat.AgentUnsafe},
		{"directory", filepath.Dir(program), 0o757, chat.AgentUnsafe},
		{"sticky_directory", filepath.Dir(program), 0o757 | os.ModeSticky, chat.AgentUnsafe},
		{"directory_above", filepath.Join(dir, "app"), 0o757, chat.AgentUnsafe},
		{"sticky_directory_above", filepath.Join(dir, "app"), 0o757 | os.ModeSticky, ""},
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests { // one after the other, in the same directories
		t.Run(tt.name, func(t *testing.T) {
			if err := os.Chmod(tt.path, tt.mode); err != nil {
				t.Fatal(err)
			}
			defer os.Chmod(tt.path, 0o755)
			for _, path := range []string{program, link} {
				custom := Custom([]string{path}, nil)
				_, err := custom.choose(custom.candidates(nil))
				if got := (asked{err: err}).code(); got != tt.code {
					t.Errorf("%v, want %q", err, tt.code)
				}
			}
		})
	}
	// Who may replace the link chooses what is run.
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	link = filepath.Join(open, "link")
	if err := errors.Join(os.Symlink(program, link), os.Chmod(open, 0o757)); err != nil {
		t.Fatal(err)
	}
	custom := Custom([]string{link}, nil)
	if _, err := custom.choose(custom.candidates(nil)); (asked{err: err}).code() != chat.AgentUnsafe {
		t.Errorf("a link in an open directory: %v", err)
	}
}

// TestFence: what an agent is told at its start. No user's text and no path but its own
// is in it.
func TestFence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		profile Profile
		args    []string
		env     []string
		file    string
		want    map[string]any
	}{
		{
			"devin", Devin,
			[]string{"--config", "<dir>/config.json"},
			nil, "config.json",
			map[string]any{"permissions": map[string]any{"deny": []any{"Write(**)", "exec", "Fetch(*)", "mcp__*"}}},
		},
		{
			"cursor", Cursor, nil,
			[]string{"CURSOR_CONFIG_DIR=<dir>"},
			"cli-config.json",
			map[string]any{
				"version": 1.0, "editor": map[string]any{"vimMode": false}, "approvalMode": "allowlist",
				"permissions": map[string]any{"allow": []any{}, "deny": []any{"Write(**)", "Shell(*)", "Read(**)"}},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			args, env, err := tt.profile.fence(dir)
			if err != nil {
				t.Fatal(err)
			}
			in := func(list []string) (all []string) {
				for _, s := range list {
					all = append(all, filepath.FromSlash(strings.Replace(s, "<dir>", dir, 1)))
				}
				return all
			}
			if diff := cmp.Diff([][]string{in(tt.args), in(tt.env)}, [][]string{args, env}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			text, err := os.ReadFile(filepath.Join(dir, tt.file))
			var got map[string]any
			if err != nil || json.Unmarshal(text, &got) != nil {
				t.Fatalf("%s, %v", text, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	all := []string{
		"PATH=/bin", "HOME=/home/anna", "LC_ALL=C", "https_proxy=http://p", "HTTPS_PROXY=http://p", "XDG_RUNTIME_DIR=/run", "DBUS_SESSION_BUS_ADDRESS=unix:x",
		"DEVIN_PERMISSION_MODE=bypass", "WINDSURF_API_KEY=k", "CURSOR_API_KEY=k", "CURSOR_CONFIG_DIR=/theirs", "GEMINI_API_KEY=k", "NODE_OPTIONS=--require x",
		"LD_PRELOAD=x", "WINDSOCK_AGENT=other", "WINDSURF_CSRF_TOKEN=k", "DISPLAY=:0", "BROKEN",
	}
	shared := []string{"NO_COLOR=1", "PATH=/bin", "HOME=/home/anna", "LC_ALL=C", "https_proxy=http://p", "HTTPS_PROXY=http://p", "XDG_RUNTIME_DIR=/run", "DBUS_SESSION_BUS_ADDRESS=unix:x"}
	tests := []struct {
		name    string
		profile Profile
		more    []string
	}{
		{"devin", Devin, nil},
		{"cursor", Cursor, []string{"CURSOR_API_KEY=k"}},
		{"custom", Custom([]string{"gemini"}, []string{"GEMINI_API_KEY"}), []string{"GEMINI_API_KEY=k"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(slices.Concat(shared, tt.more), environ(all, tt.profile.pass)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestOffer: the words that a person agrees to, for each agent.
func TestOffer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		profile Profile
		about   About
	}{
		{Devin, About{Path: "/usr/share/devin-desktop/resources/app/extensions/windsurf/devin/bin/devin", Version: "devin 3000.11.3"}},
		{Cursor, About{Path: "/home/anna/.local/bin/cursor-agent", Version: "2026.10.01"}},
		{Custom([]string{"/opt/opencode", "acp"}, nil), About{Path: "/opt/opencode"}},
	}
	for _, tt := range tests {
		t.Run(tt.profile.id, func(t *testing.T) {
			t.Parallel()
			probetest.Golden(t, "offer/"+tt.profile.id+".txt", []byte(strings.Join(tt.profile.Offer(tt.about), "\n\n")+"\n"))
		})
	}
}
