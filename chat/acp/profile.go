package acp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Profile is what Windsock knows of an agent (PROTOCOL.md 11.6).
type Profile struct {
	id, name string
	programs []string // file names, the preferred one first
	args     []string // that start it as an agent
	// beside is where an editor has the program, below the directory of its own code.
	beside []string
	// editors are the directories of installed editors' code.
	editors func() []string
	// fence writes the agent's settings into an empty directory. It returns arguments,
	// which go before args, and variables.
	fence func(dir string) (args, env []string, _ error)
	// pass are variables of the person's that the agent needs.
	pass []string
	// forgets says that the settings' directory has the conversations as well.
	forgets bool
	// overhead is how many tokens of its own it adds to a prompt; 0 is unknown.
	overhead int
	// status are the arguments that ask whether there is a login; nil if that is not known.
	status []string
	// login says how to sign in, and install how to get the program.
	login, install string
}

// Devin is the agent that Devin Desktop ships.
var Devin = Profile{
	id: "devin", name: "Devin", programs: []string{"devin"}, args: []string{"acp"},
	beside: []string{"extensions", "windsurf", "devin", "bin"}, editors: devinEditors,
	fence: devinFence, status: []string{"auth", "status"}, overhead: 13_000,
	login:   "Run `devin auth login` in a terminal, then ask again.",
	install: "Install Devin Desktop, or Devin's command line from devin.ai, then ask again.",
}

// Cursor is Cursor's command line.
var Cursor = Profile{
	id: "cursor", name: "Cursor", programs: []string{"cursor-agent"}, args: []string{"acp"},
	fence: cursorFence, pass: []string{"CURSOR_API_KEY"}, forgets: true,
	login:   "Run `cursor-agent login` in a terminal, then ask again.",
	install: "Install Cursor's command line from cursor.com/cli, then ask again.",
}

// Custom is a command of the person's, a program with its arguments. It is not run by a
// shell. pass names the variables that it gets beside the usual ones.
func Custom(command, pass []string) Profile {
	p := Profile{
		id: "custom", name: "the configured command", pass: pass,
		login:   "Sign in with its own command, then ask again.",
		install: "Check the command in the settings.",
	}
	if len(command) > 0 {
		p.programs, p.args = command[:1], command[1:]
		p.name = strings.TrimSuffix(filepath.Base(command[0]), ".exe")
	}
	return p
}

// devinEditors are the places of Devin Desktop's own code.
func devinEditors() []string {
	const app = "Contents/Resources/app"
	home, _ := os.UserHomeDir() // without one there is no place below it
	switch runtime.GOOS {
	case "darwin":
		return []string{"/Applications/Devin.app/" + app, filepath.Join(home, "Applications", "Devin.app", app)}
	case "windows":
		return []string{filepath.Join(os.Getenv("LOCALAPPDATA"), "Programs", "Devin", "resources", "app")}
	default:
		return []string{"/usr/share/devin-desktop/resources/app"}
	}
}

const settingsMode = 0o600

// devinFence denies the tools that act. It is the only policy that was seen to bind
// (PROTOCOL.md 11.6).
func devinFence(dir string) (args, env []string, _ error) {
	path := filepath.Join(dir, "config.json")
	err := writeSettings(path, map[string]any{
		"permissions": map[string]any{"deny": []string{"Write(**)", "exec", "Fetch(*)", "mcp__*"}},
	})
	return []string{"--config", path}, nil, err
}

// cursorFence denies what Cursor's rules know: not its searches and not its fetches. The
// directory is also where Cursor keeps the chat.
func cursorFence(dir string) (args, env []string, _ error) {
	err := writeSettings(filepath.Join(dir, "cli-config.json"), map[string]any{
		"version": 1, "editor": map[string]any{"vimMode": false}, "approvalMode": "allowlist",
		"permissions": map[string]any{"allow": []string{}, "deny": []string{"Write(**)", "Shell(*)", "Read(**)"}},
	})
	return nil, []string{"CURSOR_CONFIG_DIR=" + dir}, err
}

func writeSettings(path string, settings map[string]any) error {
	text, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, settingsMode)
}
