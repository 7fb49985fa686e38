package autostart

import (
	"strings"
	"unicode/utf8"
)

// desktopFormat is an entry by the Desktop Application Autostart and Desktop Entry
// specifications.
var desktopFormat = fileFormat{
	name: "windsock.desktop", dir: "autostart in ~/.config (or XDG_CONFIG_HOME)",
	write: writeDesktop, command: desktopCommand,
}

const mainGroup = "[Desktop Entry]"

// writeDesktop returns an entry. With TryExec, a desktop silently skips it once the
// executable is gone. writeDesktop refuses paths that would need both layers of Exec's
// escapes: such paths do not occur.
func writeDesktop(executable string) (string, error) {
	if !utf8.ValidString(executable) || strings.ContainsFunc(executable, func(r rune) bool { return r < ' ' || strings.ContainsRune("\"\\`$%=", r) }) {
		return "", unwritable("it holds a character that means something else there")
	}
	command := executable
	if strings.ContainsAny(command, " '><~|&;*?#()") {
		command = `"` + command + `"`
	}
	return strings.Join([]string{
		mainGroup,
		"Type=Application",
		"Name=Windsock",
		"Comment=Shows how much of your Windsurf plan is left",
		"Icon=windsock",
		"Terminal=false",
		"StartupNotify=false",
		"Exec=" + command,
		"TryExec=" + executable,
		"X-GNOME-Autostart-enabled=true",
		"",
	}, "\n"), nil
}

// desktopCommand returns the first word of Exec, or "" if a desktop has switched the
// entry off.
func desktopCommand(content []byte) string {
	keys := map[string]string{}
	group := ""
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			group = line
		}
		if key, value, ok := strings.Cut(line, "="); ok && group == mainGroup {
			keys[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	if keys["Hidden"] == "true" || keys["X-GNOME-Autostart-enabled"] == "false" {
		return ""
	}
	command := keys["Exec"]
	if quoted, ok := strings.CutPrefix(command, `"`); ok {
		command, _, _ = strings.Cut(quoted, `"`)
		return command
	}
	command, _, _ = strings.Cut(command, " ")
	return command
}
