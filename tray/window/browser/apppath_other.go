//go:build !windows

package browser

// appPath is for Windows only.
func appPath(string) string { return "" }
