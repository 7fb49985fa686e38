package browser

import (
	"os"
	"strings"

	"golang.org/x/sys/windows/registry"
)

// appPaths is where programs tell where they lie.
const appPaths = `SOFTWARE\Microsoft\Windows\CurrentVersion\App Paths\`

// appPath is what is registered for a program, the user's own first; "" where
// there is nothing, or no such file.
func appPath(program string) string {
	for _, root := range []registry.Key{registry.CURRENT_USER, registry.LOCAL_MACHINE} {
		key, err := registry.OpenKey(root, appPaths+program, registry.QUERY_VALUE)
		if err != nil {
			continue
		}
		path, _, err := key.GetStringValue("")
		_ = key.Close() // only read
		path = strings.Trim(path, `"`)
		if err != nil {
			continue
		}
		if expanded, err := registry.ExpandString(path); err == nil {
			path = expanded
		}
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}
