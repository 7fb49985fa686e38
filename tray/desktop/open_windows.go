package desktop

import "os/exec"

// opener is the shell's own, which parses no command line.
func opener(address string) (name string, args []string) {
	return "rundll32.exe", []string{"url.dll,FileProtocolHandler", address}
}

// Detach does nothing: on Windows, no program ends with another.
func Detach(*exec.Cmd) {}
