// Package languageserver has the messages and the Connect client and handler
// of the few RPCs that Windsock uses of the Windsurf (Devin Desktop) language
// server. Nobody publishes that interface: language_server.proto is written
// from facts that other people's dumps of it agree on, and PROTOCOL.md beside
// it says which fact comes from where and how conflicts were resolved. A
// comment that says "PROTOCOL.md 3.1" means a section of that file.
//
// Only what Windsock sends or reads, and what a faithful simulator has to
// answer, is declared. Everything else a server sends is an unknown field,
// which every codec in use here ignores. The messages of the server's several
// proto packages live in one package, since their full names never appear on
// the wire of a unary call.
//
// The code is generated and committed; there is no logic in this package.
package languageserver

//go:generate npx --yes @bufbuild/buf@1.75.0 generate
