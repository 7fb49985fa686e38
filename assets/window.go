// Package assets holds the files that are part of the program: the window's page
// with the libraries it needs. They are served as they stand here; there is no
// build step.
package assets

import (
	"embed"
	"io/fs"
)

//go:embed window
var files embed.FS

// Window is the page: index.html is the window, boot.html the page that trades
// the ticket in, and what they load is beside them, to be served below /assets/.
var Window = mustSub(files, "window")

// mustSub is for a name that the embed directive has, so that there is no error
// to return.
func mustSub(whole fs.FS, name string) fs.FS {
	part, err := fs.Sub(whole, name)
	if err != nil {
		return whole
	}
	return part
}
