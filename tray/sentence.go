package tray

import "windsock/probe/say"

// Sentence is what an error says to people; otherwise where there is none.
func Sentence(err error, otherwise string) string { return say.Sentence(err, otherwise) }
