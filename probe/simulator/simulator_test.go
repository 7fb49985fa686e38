package simulator

import (
	"os"
	"testing"
)

// The test binary is the server's program, too.
func TestMain(m *testing.M) {
	if IsServer(os.Args[0]) {
		Main()
	}
	os.Exit(m.Run())
}

func TestIsServer(t *testing.T) {
	t.Parallel()
	for argv0, want := range map[string]bool{
		"language_server":                         true,
		"language_server_linux_x64":               true,
		"/opt/a b/bin/language_server_macos_arm":  true,
		`C:\Windsurf\language_server_windows.EXE`: true,
		"language_server.exe":                     true,
		"/home/robin/.local/bin/agy":              true,
		`C:\Programs\agy\agy.exe`:                 true,
		"/opt/devin/bin/devin":                    true,
		`C:\Devin\cursor-agent.exe`:               true,
		"devin-cli":                               false,
		"agy-helper":                              false,
		"language_servers":                        false,
		"language-server":                         false,
		"my_language_server":                      false,
		"/opt/language_server/node":               false,
		"":                                        false,
		".exe":                                    false,
	} {
		t.Run(argv0, func(t *testing.T) {
			t.Parallel()
			if got := IsServer(argv0); got != want {
				t.Errorf("IsServer = %v, want %v", got, want)
			}
		})
	}
}
