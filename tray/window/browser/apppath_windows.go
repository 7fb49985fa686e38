package browser

import (
	"os"
	"strings"

	"golang.org/x/sys/windows/registry"
)

// appPaths is the registry key for programs' paths.
const appPaths = `SOFTWARE\Microsoft\Windows\CurrentVersion\App Paths\`

// appPath is a program's registered path, the user's own first; "" if there is none,
// or no such file.
func appPath(program string) string {
	for _, root := range []registry.Key{registry.CURRENT_USER, registry.LOCAL_MACHINE} {
		key, err := registry.OpenKey(root, appPaths+program, registry.QUERY_VALUE)
		if err != nil {
			continue
		}
		path, _, err := key.GetStringValue("")
		_ = key.Close() // it was only read
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
