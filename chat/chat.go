// Package chat speaks to the editor's Cascade: it lists the plan's models, sends
// a prompt and follows the answer, and archives the cascades that prompts leave
// behind.
//
// A prompt is a turn of a fresh cascade: the panel's state is set up once per
// server, StartCascade makes the cascade, SendUserCascadeMessage starts the turn
// and returns at once, polling its transcript shows the answer as it grows, and
// ArchiveCascadeTrajectory puts the cascade away, whatever became of the turn.
// StartCascade and SendUserCascadeMessage are never repeated once a byte may have
// left: a prompt that was sent twice is paid for twice.
//
// Cascade is switched off on newer servers. The server decides, by being tried:
// ErrUnsupported is what comes back then.
//
// The package knows nothing of what a plan has left; what a prompt cost it reads
// from the server's own steps. The facts of the protocol are in
// probe/languageserver/PROTOCOL.md, section 7; comments cite its sections.
package chat
