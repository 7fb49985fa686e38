package acp

import (
	"runtime"
	"slices"
	"strings"
)

// passed are the variables that every agent gets: where things are, the language, the
// way to the network, and the session's bus, on which a keyring may be. The key that
// Windsock reads for its own calls is in none, nor is what would change an agent's
// policy.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "LANG", "LANGUAGE", "TZ",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"DBUS_SESSION_BUS_ADDRESS", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
	"XDG_CONFIG_DIRS", "XDG_DATA_DIRS",
	// Windows
	"USERPROFILE", "USERNAME", "USERDOMAIN", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "ALLUSERSPROFILE",
	"PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "COMMONPROGRAMFILES", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT",
	"TEMP", "TMP", "OS", "PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS",
}

// environ is what an agent gets of an environment.
func environ(all, more []string) []string {
	env := []string{"NO_COLOR=1"}
	for _, variable := range all {
		name, _, _ := strings.Cut(variable, "=")
		if slices.Contains(more, name) || wanted(name) {
			env = append(env, variable)
		}
	}
	return env
}

// wanted takes proxies in lower case as well, as programs do; Windows knows no case.
func wanted(name string) bool {
	upper := strings.ToUpper(name)
	if name != upper && runtime.GOOS != "windows" && !strings.HasSuffix(name, "_proxy") {
		return false
	}
	return slices.Contains(passed, upper) || strings.HasPrefix(upper, "LC_")
}
