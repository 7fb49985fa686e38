package main

// What the packages say of the project. Nobody has said where it will live, so
// repository is a name that cannot exist; it is the one place to change.
const (
	repository  = "https://example.invalid/windsock"
	name        = "windsock"
	title       = "Windsock"
	authors     = "The Windsock authors"
	maintainer  = authors + " <windsock@example.invalid>"
	licence     = "MIT"
	summary     = "Shows how much of your Windsurf plan is left"
	description = summary + `
An icon in the system tray, warnings before a limit is reached, a history, and
a command for the terminal. It asks the language server that the editor already
runs on this computer, and talks to nothing else.`
	bundleID = "windsock"
)

// downloadURL is where a file of a release is had.
func downloadURL(v version, file string) string {
	return repository + "/releases/download/" + v.tag + "/" + file
}
