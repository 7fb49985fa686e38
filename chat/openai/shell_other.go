//go:build !windows

package openai

const systemShell = "sh"
