//go:build !windows

package browser

// appPath is a matter of Windows.
func appPath(string) string { return "" }
