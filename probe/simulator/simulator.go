// Package simulator is a language server for tests and demonstrations of Windsock:
// a real HTTP server that answers as PROTOCOL.md (probe/languageserver/PROTOCOL.md)
// describes for the editor's server. On request it is a real process with that
// server's name, command line, environment and ports.
//
// It also answers as Antigravity's server, in plain JSON, and is its command line agy;
// see [Config] and [Agy]. And it is the agent that an editor ships, and Cursor's command
// line: package agent.
//
// It is written from PROTOCOL.md and not from Windsock's client, so that it does not
// repeat a misunderstanding of the client. Every figure, name and key in it is made
// up.
//
//   - [New] makes a [Server] inside the caller's process.
//   - [Start] runs one as a separate process, in an app tree that it lays out. It
//     runs a program whose main calls [Main] if [IsServer] accepts its name; a
//     test binary can be that program.
//
// Package account defines the accounts; demo and simtest start the simulator with a
// signed-in user.
//
// All types are safe for concurrent use, and everything ends by itself when
// the program that started it ends, even when that one is killed.
package simulator

import (
	"strings"

	"windsock/probe/simulator/agent"
)

// IsServer reports whether a program that was started as argv0 has the name
// of a language server, language_server or language_server_*, or of another program that
// is simulated: agy, devin and cursor-agent; with or without .exe (PROTOCOL.md 4.1,
// 11.6). Both kinds of path separators are understood on every system.
func IsServer(argv0 string) bool {
	base := programName(argv0)
	return base == "language_server" || strings.HasPrefix(base, "language_server_") || base == "agy" || agent.Is(base)
}

// isAgy reports whether the program is Antigravity's command line.
func isAgy(argv0 string) bool { return programName(argv0) == "agy" }

// programName is the base name of argv0 without .exe.
func programName(argv0 string) string {
	base := argv0[strings.LastIndexAny(argv0, `/\`)+1:]
	if ext := len(base) - len(".exe"); ext > 0 && strings.EqualFold(base[ext:], ".exe") {
		base = base[:ext]
	}
	return base
}
