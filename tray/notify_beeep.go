package tray

import (
	"html"
	"runtime"

	"github.com/gen2brain/beeep"

	"windsock/tray/icon"
)

// notify shows a desktop notification. It blocks until the desktop has taken
// it, which may be as long as it takes to start a notification daemon.
func notify(text string) error {
	beeep.AppName = appName
	if runtime.GOOS == "linux" {
		text = html.EscapeString(text) // the body is markup there
	}
	return beeep.Notify(appName, text, icon.Icon{}.PNG(64))
}
