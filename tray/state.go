package tray

import (
	"time"

	"windsock/chat/openai"
	"windsock/usage/alert"
	"windsock/usage/poll"
)

// State is all that a View is made of.
type State struct {
	// Poll is what is known of the plan; its At is the present.
	Poll    poll.State
	Version string
	Demo    bool
	Options Options
	// RefreshWait is how long a refresh that was asked for too early has to
	// wait; zero when none was.
	RefreshWait time.Duration
	// Login says whether the app starts at login.
	Login Login
	// API is the local API, nil where there is none to switch on.
	API *openai.State
	// ManagePlan, Diagnostics and Settings say whether there is something to open.
	ManagePlan, Diagnostics, Settings bool
	// Window says whether there is a window, and Cascades what there is for it to
	// clean away.
	Window   bool
	Cascades Cascades
	// Mutes are the meters whose warnings can be muted.
	Mutes []alert.Mute
	// Notice is a sentence about the history; mostly "".
	Notice string
	// Failure is a sentence about the last thing that the person asked for
	// and did not get.
	Failure string
}

// Cascades are what is known of the editor's cascades.
type Cascades struct {
	// Off says that the server has no Cascade, so that there is nothing to ask and
	// nothing to clean.
	Off bool
	// Counted says that the others are known: how many are stale, and what those
	// take on disk, where that is known of all.
	Counted    bool
	Stale      int
	Bytes      int64
	BytesKnown bool
}

// Login says whether the app starts at login.
type Login uint8

// What there is to say of it. With LoginUnknown there is no row.
const (
	LoginUnknown Login = iota
	LoginOff
	LoginOn
)
