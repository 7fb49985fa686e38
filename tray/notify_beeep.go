package tray

import (
	"html"
	"runtime"

	"github.com/gen2brain/beeep"

	"windsock/tray/icon"
)

// Desktop shows notifications on the person's desktop. They have no sound.
type Desktop struct {
	// Prefix stands before each title; a demo has one.
	Prefix string
}

// Notify shows a notification.
func (d Desktop) Notify(title, text string) error {
	beeep.AppName = appName
	if runtime.GOOS == "linux" {
		text = html.EscapeString(text) // the body is markup there, the title is not
	}
	return beeep.Notify(d.Prefix+title, text, appIcon())
}

// appIcon is the app's, whatever the gauge says: a full windsock.
func appIcon() any {
	if runtime.GOOS == "windows" {
		// beeep would write it to a file and remove that before it is read.
		return ""
	}
	return icon.Icon{Band: icon.OK, Level: icon.Steps}.PNG(64)
}
