//go:build !windows

package api

const systemShell = "sh"
