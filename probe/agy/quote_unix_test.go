//go:build !windows

package agy

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestCommandRuns: sh starts the program of any path with the two arguments.
func TestCommandRuns(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "a b", "it's", `"quoted"`, "$HOME `id` \\", "a;b&c|d>e(f)*?[g]!#~", "é\t\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), name, "windsock")
			if err := os.Mkdir(filepath.Dir(program), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s,' \"$@\""), 0o700); err != nil {
				t.Fatal(err)
			}
			command, err := commandOf(program, "linux")
			if err != nil {
				t.Fatal(err)
			}
			got, err := exec.Command("sh", "-c", command).CombinedOutput()
			if string(got) != "antigravity,status-line," || err != nil {
				t.Errorf("%s: got %s, %v", command, got, err)
			}
		})
	}
}
