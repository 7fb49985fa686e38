// Package simulator is a language server to test and to demonstrate Windsock
// against: a real HTTP server that answers the way PROTOCOL.md (probe/
// languageserver/PROTOCOL.md) describes the editor's one, and, where wanted, a
// real process with that server's name, command line, environment and ports.
//
// It is written from PROTOCOL.md and not from Windsock's client, so that a
// misunderstanding of the client does not repeat itself here. Every figure,
// name and key in it is made up.
//
//   - [New] makes a [Server] inside the caller's process.
//   - [Start] runs one as a process of its own, out of an app tree that it lays
//     out; the program it runs is any whose main calls [Main] when [IsServer]
//     is true of its name. A test binary can be that program.
//
// What its accounts are like is account's; demo and simtest start it beside a user
// who has signed in.
//
// All types are safe for concurrent use, and everything ends by itself when
// the program that started it ends, even when that one is killed.
package simulator

import "strings"

// IsServer reports whether a program that was started as argv0 goes by the
// name of a language server: language_server or language_server_*, with or
// without .exe (PROTOCOL.md 4.1). Both kinds of path separators are understood
// on every system.
func IsServer(argv0 string) bool {
	base := argv0[strings.LastIndexAny(argv0, `/\`)+1:]
	if ext := len(base) - len(".exe"); ext > 0 && strings.EqualFold(base[ext:], ".exe") {
		base = base[:ext]
	}
	return base == "language_server" || strings.HasPrefix(base, "language_server_")
}
