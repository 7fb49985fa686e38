package tray

import "time"

// DesktopPart is something of the desktop that the app needs, and whether it is
// there.
type DesktopPart struct {
	// Name is a word for programs.
	Name string
	OK   bool
	// Finding is a clause, and Cure a sentence, "" where there is nothing to do.
	Finding, Cure string
	// Took is how long looking took.
	Took time.Duration
}
