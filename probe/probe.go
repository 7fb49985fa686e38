// Package probe finds a running Windsurf language server and opens an
// authenticated Session to it.
//
// It knows variants, the handshake and the Connect protocol; it knows nothing of
// credits, prompts or menus. Discovery goes, for each variant in turn: processes,
// CSRF token, listening ports, handshake, API key, Session. Each step is a method of
// server. Processes and sockets are package system's, what lies on the disk is package
// signin's, and package doctor tells how it went (Finder.Trace).
//
// The API key is read in place, held in memory, and sent to nothing but a
// listening socket that belongs to the same user's language server: every
// connection is checked for its owner after the dial and before a byte is
// sent. Nothing in this package talks to anything but loopback.
//
// A Finder and a Session may be used from several goroutines at once.
//
// The facts of the protocol and their sources are in
// languageserver/PROTOCOL.md; comments cite its sections.
package probe
