package tray

import (
	"time"

	"windsock/chat/openai"
	"windsock/usage/alert"
	"windsock/usage/poll"
)

// State is everything that a View depends on.
type State struct {
	// Plans is what is known about all plans; their At is the present.
	Plans   poll.Plans
	Version string
	Demo    bool
	Lapse   bool
	Options Options
	// RefreshWait is how long a refresh that came too early has to wait, else zero.
	RefreshWait time.Duration
	// Login says whether the app starts at login.
	Login Login
	// API is the local API, nil if it cannot be switched on.
	API *openai.State
	// ManagePlan, Diagnostics and Settings say whether there is anything to open.
	ManagePlan, Diagnostics, Settings bool
	// Window says whether there is a window, and Cascades what it could clean.
	Window   bool
	Cascades Cascades
	// Unasked says that the window has a sign-in to allow.
	Unasked bool
	// Mutes are the meters whose warnings can be muted.
	Mutes []alert.Mute
	// Notice is a sentence about the history; mostly "".
	Notice string
	// Failure is a sentence about the person's last action that failed.
	Failure string
}

// Cascades is what is known about the editor's cascades.
type Cascades struct {
	// Off says that the server has no Cascade, so there is nothing to clean. Agent says
	// that an agent answers prompts in its place, or can be chosen for it.
	Off, Agent bool
	// Counted says that the other fields are known: the number of stale cascades, and
	// their disk space, if known for all.
	Counted    bool
	Stale      int
	Bytes      int64
	BytesKnown bool
}

// Login says whether the app starts at login.
type Login uint8

// The possible states. With LoginUnknown there is no row.
const (
	LoginUnknown Login = iota
	LoginOff
	LoginOn
)
