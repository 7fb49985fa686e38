//go:build !windows

package window

// appPath is a matter of Windows.
func appPath(string) string { return "" }
