package simulator

import (
	"cmp"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// TokenStyle is how a server process receives its CSRF token (PROTOCOL.md 4.2).
type TokenStyle int

// The token styles.
const (
	TokenEnv  TokenStyle = iota // in WINDSURF_CSRF_TOKEN, since 1.9577
	TokenFlag                   // in --csrf_token, before that version
	TokenNone                   // in neither: no other program can read it
)

// tokenEnv is the environment variable of TokenEnv.
const tokenEnv = "WINDSURF_CSRF_TOKEN" //nolint:gosec // a variable's name

// A layout holds the installed paths of an app and its server's program.
type layout struct{ app, binary string }

// installed is this system's layout of Windsurf, below the root of the file system.
func installed() layout {
	switch runtime.GOOS {
	case "windows":
		return layout{"Program Files/Windsurf", "language_server_windows_x64.exe"}
	case "darwin":
		return layout{"Applications/Windsurf.app", "language_server_macos_arm"}
	default:
		return layout{"usr/share/windsurf", "language_server_linux_x64"}
	}
}

// DesktopApp is where this system has Devin Desktop, as a value of Options.App.
func DesktopApp() string {
	switch runtime.GOOS {
	case "windows":
		return "Users/robin/AppData/Local/Programs/Devin"
	case "darwin":
		return "Applications/Devin.app"
	default:
		return "usr/share/devin-desktop"
	}
}

// app is where this system has the app.
func (o Options) app() string {
	switch {
	case o.Config.Antigravity != "":
		return antigravityInstalled(o.Config.Antigravity).app
	case o.IDEName != "windsurf-next":
		return installed().app
	case runtime.GOOS == "linux":
		return installed().app + "-next"
	default:
		return strings.Replace(installed().app, "Windsurf", "Windsurf - Next", 1)
	}
}

// appRoot is the directory of an app's files, below its installation directory.
func appRoot(app string) string {
	if strings.HasSuffix(app, ".app") {
		return path.Join(app, "Contents/Resources/app")
	}
	return path.Join(app, "resources/app")
}

// program is the path of the server's program, below the root of the file system.
func (o Options) program() string {
	if kind := o.Config.Antigravity; kind != "" {
		return filepath.FromSlash(antigravityPath(kind, o.App))
	}
	return binaryPath(o.App)
}

// binaryPath is the path of an app's language server (PROTOCOL.md 4.1), below the root
// of the file system.
func binaryPath(app string) string {
	extension := "windsurf"
	if strings.Contains(strings.ToLower(app), "antigravity") {
		extension = "antigravity"
	}
	return filepath.FromSlash(path.Join(appRoot(app), "extensions", extension, "bin", installed().binary))
}

// arguments is the command line after the binary, in the order of an editor. Without a
// Home, none of its paths is ever opened.
func (o Options) arguments(token string) []string {
	if o.Config.Antigravity != "" {
		return o.written(o.antigravityFlags(token))
	}
	home, pipe := "/home/robin", "/tmp/server_00112233aabbccdd"
	switch runtime.GOOS {
	case "windows":
		home, pipe = "C:/Users/robin", `\\.\pipe\server_00112233aabbccdd`
	case "darwin":
		home = "/Users/robin"
	}
	dir := o.codeiumDir()
	flags := [][2]string{
		{"api_server_url", "https://server.codeium.com"},
		{"run_child"},
		{"enable_lsp"},
		{"extension_server_port", "36381"},
		{"ide_name", o.IDEName},
		{"csrf_token", token},
		{"random_port"},
		{"inference_api_server_url", "https://inference.codeium.com"},
		{"database_dir", filepath.FromSlash(cmp.Or(o.Home, home) + "/" + dir + "/database/9c0694567290725d9dcba14ade58e297")},
		{"enable_index_service"},
		{"enable_local_search"},
		{"search_max_workspace_file_count", "5000"},
		{"indexed_files_retention_period_days", "30"},
		{"workspace_id", "file_home_robin_example"},
		{"sentry_telemetry"},
		{"sentry_environment", "stable"},
		{"codeium_dir", dir},
		{"parent_pipe_path", pipe},
		{"windsurf_version", o.Config.Release.version()},
		{"stdin_initial_metadata"},
	}
	absent := map[string]bool{
		"run_child": !o.RunChild, "ide_name": o.IDEName == "",
		"csrf_token": o.Token != TokenFlag, "stdin_initial_metadata": o.Token != TokenEnv,
	}
	return o.written(slices.DeleteFunc(flags, func(flag [2]string) bool { return absent[flag[0]] }))
}

// written are flags on the command line, and what Args adds.
func (o Options) written(flags [][2]string) []string {
	var args []string
	for _, flag := range flags {
		switch name, value := "--"+flag[0], flag[1]; {
		case value == "":
			args = append(args, name)
		case o.Equals:
			args = append(args, name+"="+value)
		default:
			args = append(args, name, value)
		}
	}
	return append(args, o.Args...)
}

// codeiumDir is the value of --codeium_dir.
func (o Options) codeiumDir() string {
	if _, channel, ok := strings.Cut(o.IDEName, "windsurf-"); ok {
		return ".codeium/windsurf-" + channel
	}
	return ".codeium/windsurf"
}

// homeEnv is the environment variable of the home directory.
func homeEnv() string {
	if runtime.GOOS == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

// marker is the variable that marks a simulated server. By default discovery ignores
// such servers.
const marker = "WINDSOCK_SIMULATOR"

// environment is the whole environment of the process: that of a real server, and the
// marker.
func (o Options) environment(token string) []string {
	env := []string{marker + "=1"}
	if o.Config.Antigravity == "" {
		env = []string{"CODEIUM_EDITOR_APP_ROOT=" + filepath.Join(o.Root, filepath.FromSlash(appRoot(o.App))), marker + "=1"}
		if o.Token == TokenEnv {
			env = append(env, tokenEnv+"="+token)
		}
	}
	if o.Home != "" {
		env = append(env, homeEnv()+"="+o.Home)
	}
	return append(env, o.Env...)
}

// flagValue returns the value of --name value or --name=value.
func flagValue(args []string, name string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return value
		}
		if arg == "--"+name && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}
