package traytest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// packages are the Debian packages of the tools that have another name.
var packages = map[string]string{
	"Xvfb":       "xvfb",
	"wineserver": "wine",
	"xsetroot":   "x11-xserver-utils",

	"x86_64-w64-mingw32-gcc": "gcc-mingw-w64-x86-64-win32",
}

// Need skips the test when a tool is not installed, and says which package has
// it. With CI set in the environment, where all of them have to be, it fails.
func Need(tb testing.TB, tools ...string) {
	tb.Helper()
	missing, install := missingTools(tools)
	if len(missing) == 0 {
		return
	}
	told := "missing " + strings.Join(missing, ", ") + "; apt-get install " + strings.Join(install, " ")
	if os.Getenv("CI") != "" {
		tb.Fatal(told)
	}
	tb.Skip(told)
}

// missingTools are those of the tools that are not to be found, and the
// packages that have them.
func missingTools(tools []string) (missing, install []string) {
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		}
		missing = append(missing, tool)
		name := packages[tool]
		if name == "" {
			name = tool
		}
		if !slices.Contains(install, name) {
			install = append(install, name)
		}
	}
	return missing, install
}
