package simulator

import (
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// TokenStyle is how a server process gets to know its CSRF token
// (PROTOCOL.md 4.2).
type TokenStyle int

// The token styles.
const (
	TokenEnv  TokenStyle = iota // in WINDSURF_CSRF_TOKEN, since 1.9577
	TokenFlag                   // in --csrf_token, before
	TokenNone                   // in neither: nobody else can know it
)

// tokenEnv is the environment variable of TokenEnv.
const tokenEnv = "WINDSURF_CSRF_TOKEN" //nolint:gosec // a variable's name

// defaultApp is where Windsurf is installed, below the root of the file system.
func defaultApp() string {
	switch runtime.GOOS {
	case "windows":
		return "Program Files/Windsurf"
	case "darwin":
		return "Applications/Windsurf.app"
	default:
		return "usr/share/windsurf"
	}
}

// appRoot is where an app keeps its files, below the directory it is installed
// in.
func appRoot(app string) string {
	if strings.HasSuffix(app, ".app") {
		return path.Join(app, "Contents/Resources/app")
	}
	return path.Join(app, "resources/app")
}

// binaryPath is where an app has its language server (PROTOCOL.md 4.1), below
// the root of the file system.
func binaryPath(app, binary string) string {
	if binary == "" {
		binary = map[string]string{
			"windows": "language_server_windows_x64.exe",
			"darwin":  "language_server_macos_arm",
		}[runtime.GOOS]
	}
	if binary == "" {
		binary = "language_server_linux_x64"
	}
	extension := "windsurf"
	if strings.Contains(strings.ToLower(app), "antigravity") {
		extension = "antigravity"
	}
	return filepath.FromSlash(path.Join(appRoot(app), "extensions", extension, "bin", binary))
}

// arguments is the command line after the binary, in the order in which an
// editor gives it. Without a Home, none of the paths in it is ever touched.
func (o Options) arguments(token string) []string {
	home, pipe := "/home/robin/", "/tmp/server_00112233aabbccdd"
	switch runtime.GOOS {
	case "windows":
		home, pipe = "C:/Users/robin/", `\\.\pipe\server_00112233aabbccdd`
	case "darwin":
		home = "/Users/robin/"
	}
	if o.Home != "" {
		home = o.Home + "/"
	}
	dir := o.codeiumDir()
	var args []string
	flag := func(name, value string) {
		switch {
		case value == "":
			args = append(args, "--"+name)
		case o.Equals:
			args = append(args, "--"+name+"="+value)
		default:
			args = append(args, "--"+name, value)
		}
	}
	flag("api_server_url", "https://server.codeium.com")
	if o.RunChild {
		flag("run_child", "")
	}
	flag("enable_lsp", "")
	flag("extension_server_port", "36381")
	if o.IDEName != "" {
		flag("ide_name", o.IDEName)
	}
	if o.Token == TokenFlag {
		flag("csrf_token", token)
	}
	flag("random_port", "")
	flag("inference_api_server_url", "https://inference.codeium.com")
	flag("database_dir", filepath.FromSlash(home+dir+"/database/9c0694567290725d9dcba14ade58e297"))
	flag("enable_index_service", "")
	flag("enable_local_search", "")
	flag("search_max_workspace_file_count", "5000")
	flag("indexed_files_retention_period_days", "30")
	flag("workspace_id", "file_home_robin_example")
	flag("sentry_telemetry", "")
	flag("sentry_environment", "stable")
	flag("codeium_dir", dir)
	flag("parent_pipe_path", pipe)
	flag("windsurf_version", o.Config.Release.version())
	if o.Token == TokenEnv {
		flag("stdin_initial_metadata", "")
	}
	return append(args, o.Args...)
}

// codeiumDir is the value of --codeium_dir.
func (o Options) codeiumDir() string {
	if o.CodeiumDir != "" {
		return o.CodeiumDir
	}
	if _, channel, ok := strings.Cut(o.IDEName, "windsurf-"); ok {
		return ".codeium/windsurf-" + channel
	}
	return ".codeium/windsurf"
}

// homeEnv is the variable that names the home directory.
func homeEnv() string {
	if runtime.GOOS == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

// marker is the variable by which discovery knows a simulated server and leaves it
// to those who asked for it.
const marker = "WINDSOCK_SIMULATOR"

// environment is all that the process has in its environment: a real server's,
// and the marker.
func (o Options) environment(token string) []string {
	env := []string{"CODEIUM_EDITOR_APP_ROOT=" + filepath.Join(o.Root, filepath.FromSlash(appRoot(o.App)))}
	env = append(env, marker+"=1")
	if o.Token == TokenEnv {
		env = append(env, tokenEnv+"="+token)
	}
	if o.Home != "" {
		env = append(env, homeEnv()+"="+o.Home)
	}
	return append(env, o.Env...)
}

// flagValue finds --name value or --name=value.
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
