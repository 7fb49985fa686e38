package desktop

import "os/exec"

// opener is the shell's own, without a command line that would be parsed.
func opener(address string) (name string, args []string) {
	return "rundll32.exe", []string{"url.dll,FileProtocolHandler", address}
}

// Detach does nothing: no program ends with another.
func Detach(*exec.Cmd) {}
