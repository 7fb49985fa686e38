package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// untriedBlock is a block of commands in UNTRIED.md that a demo can run. Before it stand
// the demo's flags.
var untriedBlock = regexp.MustCompile("(?ms)^<!-- demo ?([^\n]*?) ?-->\n```console\n(.*?)^```$")

// TestUntried: a demo prints what UNTRIED.md has volunteers look for.
func TestUntried(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "UNTRIED.md"))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, block := range untriedBlock.FindAllStringSubmatch(string(page), -1) {
		for call := range strings.SplitSeq(strings.TrimPrefix(block[2], "$ "), "\n$ ") {
			command, rest, _ := strings.Cut(strings.TrimSpace(call), "\n")
			if rest == "" {
				continue // it asks, or what it prints is not in the page
			}
			tried++
			t.Run(command, func(t *testing.T) {
				t.Parallel()
				args := strings.Fields(strings.TrimPrefix(strings.TrimPrefix(command, "windsock "), "go run . "))
				if args[0] != "demo" {
					args = slices.Concat([]string{"demo"}, strings.Fields(block[1]), args)
				}
				cmd := exec.Command(shipped(t), args...)
				cmd.Dir = t.TempDir()
				cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "XDG_RUNTIME_DIR="+cmd.Dir)
				printed, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("%v", err)
				}
				for want := range strings.Lines(rest) {
					if !hasLine(string(printed), strings.TrimSpace(want)) {
						t.Errorf("no line is %sin\n%s", want, printed)
					}
				}
			})
		}
	}
	if tried < 8 {
		t.Errorf("found %d commands only", tried)
	}
}

// hasLine reports whether one line of text has the parts of want that stand between "…",
// in that order.
func hasLine(text, want string) bool {
	for line := range strings.Lines(text) {
		found := true
		for part := range strings.SplitSeq(want, "…") {
			_, line, found = strings.Cut(line, strings.TrimSpace(part))
			if !found {
				break
			}
		}
		if found {
			return true
		}
	}
	return false
}
