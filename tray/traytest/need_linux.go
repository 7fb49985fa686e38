package traytest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Need skips the test if a tool is not installed. With CI set in the environment,
// where all tools are required, it fails the test.
func Need(tb testing.TB, tools ...string) {
	tb.Helper()
	missing := slices.DeleteFunc(slices.Clone(tools), func(tool string) bool {
		_, err := exec.LookPath(tool)
		return err == nil
	})
	if len(missing) == 0 {
		return
	}
	text := "missing tools: " + strings.Join(missing, ", ")
	if os.Getenv("CI") != "" {
		tb.Fatal(text)
	}
	tb.Skip(text)
}
