package system

import (
	"bytes"
	"encoding/binary"
	"path"
	"strings"
	"unicode/utf16"
)

// serverName reports whether file has the name of a language server: language_server or
// language_server_<system>, with .exe on Windows (PROTOCOL.md 4.1).
func serverName(file string) bool {
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	if ext := len(name) - len(".exe"); ext > 0 && strings.EqualFold(name[ext:], ".exe") {
		name = strings.ToLower(name[:ext]) // Windows ignores case
	}
	return name == "language_server" || strings.HasPrefix(name, "language_server_")
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
