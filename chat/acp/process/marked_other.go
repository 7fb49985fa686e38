//go:build !linux && !darwin

package process

// marked finds nothing: the job object of Windows ends them all.
func marked(string) []int { return nil }
