// Package languageserver has the messages and the Connect client and handler for
// the few RPCs of the Windsurf (Devin Desktop) language server that Windsock uses.
// The interface is not published: language_server.proto is written from facts on
// which other people's dumps of it agree. PROTOCOL.md beside it gives the source of
// each fact and the resolution of each conflict. A comment that says "PROTOCOL.md
// 3.1" means a section of that file.
//
// It declares only what Windsock sends or reads, and what a faithful simulator must
// answer. Everything else from a server is an unknown field, which every codec in
// use here ignores. The messages of the server's several proto packages are in one
// package: their full names never appear on the wire of a unary call.
//
// The code is generated and committed; there is no logic in this package.
package languageserver

//go:generate npx --yes @bufbuild/buf@1.75.0 generate
