package simulator

import (
	"path"
	"runtime"
)

// antigravityInstalled is this system's layout of a kind of Antigravity, below the root
// of the file system.
func antigravityInstalled(kind Antigravity) layout {
	all := map[Antigravity]layout{
		AntigravityApp: {"opt/Antigravity", "language_server"},
		AntigravityIDE: {"usr/share/antigravity-ide", "language_server_linux_x64"},
		AntigravityCLI: {"home/robin/.local/bin", "agy"},
	}
	switch runtime.GOOS {
	case "windows":
		const programs = "Users/robin/AppData/Local/Programs"
		all = map[Antigravity]layout{
			AntigravityApp: {programs + "/Antigravity", "language_server_windows_x64.exe"},
			AntigravityIDE: {programs + "/Antigravity IDE", "language_server_windows_x64.exe"},
			AntigravityCLI: {programs + "/agy", "agy.exe"},
		}
	case "darwin":
		all[AntigravityApp] = layout{"Applications/Antigravity.app", "language_server"}
		all[AntigravityIDE] = layout{"Applications/Antigravity IDE.app", "language_server_macos_arm"}
	}
	return all[kind]
}

// antigravityPath is the path of a kind's program, below the root of the file system.
func antigravityPath(kind Antigravity, app string) string {
	binary := antigravityInstalled(kind).binary
	switch kind {
	case AntigravityIDE:
		return path.Join(appRoot(app), "extensions/antigravity/bin", binary)
	case AntigravityCLI:
		return path.Join(app, binary)
	default:
		return path.Join(path.Dir(appRoot(app)), "bin", binary)
	}
}

// antigravityFlags is the command line of a kind's server.
func (o Options) antigravityFlags(token string) [][2]string {
	var flags [][2]string
	add := func(name, value string) { flags = append(flags, [2]string{name, value}) }
	addToken := func() {
		if o.Token != TokenNone {
			add("csrf_token", token)
		}
	}
	switch o.Config.Antigravity {
	case AntigravityApp:
		add("standalone", "")
		add("override_ide_name", "antigravity")
		add("override_ide_version", "2.3.1")
		addToken()
		add("https_server_port", "0")
		add("app_data_dir", "antigravity")
	case AntigravityIDE:
		add("enable_lsp", "")
		addToken()
		// The token of another server, which the language server refuses.
		add("extension_server_port", "57372")
		add("extension_server_csrf_token", "1f91bed0-31f4-477b-9304-052df985af2b")
		add("workspace_id", "file_home_robin_example")
		add("app_data_dir", "antigravity-ide")
	default: // agy has no flags
	}
	return flags
}
