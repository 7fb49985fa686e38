//go:build unix

package status

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"windsock/probe/probetest"
	"windsock/probe/say"
	"windsock/usage/words"
)

// TestTmuxDraws has a real tmux draw the output: an outer tmux shows the screen on
// which an inner one draws its status line.
func TestTmuxDraws(t *testing.T) {
	t.Parallel()
	probetest.NeedTools(t, "tmux")
	dir := t.TempDir()
	output := filepath.Join(dir, "output")
	tmux := func(server string, args ...string) string {
		t.Helper()
		cmd := exec.Command("tmux", append([]string{"-S", filepath.Join(dir, server), "-f", "/dev/null"}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TERM=screen", "LANG=C.UTF-8", "SHELL=/bin/sh"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %s: %v: %s", args[0], err, out)
		}
		return string(out)
	}
	// The program fails, as one does that found no server; its text counts.
	started := tmuxServer{t, tmux}
	started.start("inner", "cat")
	tmux("inner", "set", "-g", "status-interval", "1")
	tmux("inner", "set", "-g", "status-left", "")
	tmux("inner", "set", "-g", "status-right-length", "150")
	started.start("outer", "TMUX= tmux -u -S "+filepath.Join(dir, "inner")+" attach")
	cases := append([]formatCase{{name: "hashes", err: errOddCode}}, formatCases...)
	for i, c := range cases {
		written := writeTmux(alone(c.state(t)), words.Words{}, true)
		if err := os.WriteFile(output, []byte(written), 0o600); err != nil {
			t.Fatal(err)
		}
		// tmux keeps the output of a command that it knows.
		tmux("inner", "set", "-g", "status-right", "[[#(: "+strconv.Itoa(i)+"; cat "+output+"; exit 3)]]")
		want := "[[" + readTmux(t, written) + "]]"
		screen := ""
		for deadline := time.Now().Add(time.Minute); !strings.Contains(screen, want); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: no %q on the screen:\n%s", c.name, want, screen)
			}
			screen = tmux("outer", "capture-pane", "-p")
		}
		// Coloured text has its own background, and the bar goes on in green.
		for style, escape := range map[string]string{"bg=yellow": "\x1b[43m", "bg=red": "\x1b[41m"} {
			if !strings.Contains(written, style) {
				continue
			}
			_, behind, _ := strings.Cut(tmux("outer", "capture-pane", "-e", "-p"), escape)
			if _, after, _ := strings.Cut(behind, "\x1b["); !strings.Contains(after, "42m]]") {
				t.Errorf("%s: behind %s there is %q", c.name, style, behind)
			}
		}
	}
}

// tmuxServer starts servers and has them end with the test.
type tmuxServer struct {
	t    *testing.T
	tmux func(server string, args ...string) string
}

func (s tmuxServer) start(server, command string) {
	s.t.Helper()
	s.tmux(server, "-u", "new", "-d", "-x", "200", "-y", "8", command)
	s.t.Cleanup(func() { s.tmux(server, "kill-server") })
}

// errOddCode has a code with all that tmux interprets in a format.
var errOddCode = &say.Error{Code: "a#b ##c #S #{host} #(date) #[fg=red]d ##[e %H {f},#"}
