package system

import (
	"bytes"
	"encoding/binary"
	"path"
	"strings"
	"unicode/utf16"
)

// Program is the file of a language server, or of a program that holds one: the
// executable that was started with argv, or the script that Node runs. It is "" for all
// other programs (PROTOCOL.md 4.1 and 8.1).
func Program(executable string, argv []string) string {
	switch name := baseName(executable); {
	case serverName(name):
		return executable
	case name == nodeName && len(argv) > 0:
		if script := nodeScript(argv[1:]); cliScript(script) {
			return script
		}
	}
	return ""
}

// nodeName is the base name of Node, which runs a part of Antigravity's command line.
const nodeName = "node"

// baseName is the name of a file without its directory, and without .exe on Windows.
func baseName(file string) string {
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	if ext := len(name) - len(".exe"); ext > 0 && strings.EqualFold(name[ext:], ".exe") {
		return strings.ToLower(name[:ext]) // Windows ignores case
	}
	return name
}

// serverName reports whether a program of that base name is, or holds, a language
// server: language_server or language-server, alone or with the system behind it, or
// agy, Antigravity's command line.
func serverName(name string) bool {
	if name == "agy" {
		return true
	}
	system, ok := strings.CutPrefix(name, "language_server")
	if !ok {
		system, ok = strings.CutPrefix(name, "language-server")
	}
	return ok && (system == "" || system[0] == '_' || system[0] == '-')
}

// nodeScript is the script among the arguments of Node, the first that is no option; ""
// if there is none.
func nodeScript(args []string) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			return arg
		}
	}
	return ""
}

// cliScript reports whether a script belongs to Antigravity's command line.
func cliScript(file string) bool {
	for segment := range strings.SplitSeq(strings.ReplaceAll(file, `\`, "/"), "/") {
		if segment == "antigravity-cli" || segment == "antigravity_cli" {
			return true
		}
	}
	return false
}

// splitNUL splits the content of /proc/PID/cmdline or environ: strings that each end in
// a NUL. A last string without its NUL counts too.
func splitNUL(data []byte) []string {
	data = bytes.TrimSuffix(data, []byte{0})
	if len(data) == 0 {
		return nil
	}
	return strings.Split(string(data), "\x00")
}

// flagValue returns the value of a flag in args, given as "--name value" or
// "--name=value", with one dash or two. As in the server's own parser the last one
// counts, and an argument that starts with a dash is no value.
func flagValue(args []string, name string) string {
	value := ""
	for i, arg := range args {
		flag, ok := strings.CutPrefix(arg, "-")
		if !ok {
			continue
		}
		flag = strings.TrimPrefix(flag, "-")
		if flag == name {
			if i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				value = args[i+1]
			}
		} else if v, ok := strings.CutPrefix(flag, name+"="); ok {
			value = v
		}
	}
	return value
}

// envValue returns the value of a variable in environ, "" if it is missing. The first
// one counts, as in getenv.
func envValue(environ []string, name string) string {
	for _, entry := range environ {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			return v
		}
	}
	return ""
}

// decodeUTF16 decodes little-endian UTF-16, the encoding of Windows. It ignores half a
// unit at the end and replaces half a pair with U+FFFD.
func decodeUTF16(data []byte) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units))
}

// parseEnvironBlock reads the environment of a process on Windows: UTF-16 strings that
// each end in a NUL, with an empty one after the last. It ignores what follows, and a
// string without its NUL.
func parseEnvironBlock(data []byte) []string {
	var environ []string
	start := 0
	for end := 0; end+1 < len(data); end += 2 {
		if data[end] != 0 || data[end+1] != 0 {
			continue
		}
		if end == start {
			break
		}
		environ = append(environ, decodeUTF16(data[start:end]))
		start = end + 2
	}
	return environ
}
