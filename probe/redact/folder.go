package redact

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"windsock/probe/terminal"
)

// homeFolder matches a home directory: its base name is the person's.
var homeFolder = regexp.MustCompile(`^(?:(?:/?[A-Za-z]:|/var)?/(?:home|[Uu]sers)/[^/]+|/root)$`)

// Folder is the base name of a folder that is given as a URI or a path, without the path
// for privacy, in one line; "~" for a home directory, "" where there is no name.
func Folder(uri string) string {
	folder := uri
	if _, rest, ok := strings.Cut(uri, "://"); ok {
		// url.Parse refuses hosts such as ssh-remote%2Bbox.
		_, folder, _ = strings.Cut(rest, "/")
		folder = "/" + folder
		if plain, err := url.PathUnescape(folder); err == nil {
			folder = plain
		}
	}
	folder = path.Clean(strings.ReplaceAll(folder, `\`, "/"))
	name := path.Base(folder)
	switch {
	case homeFolder.MatchString(folder):
		return "~"
	case name == "/" || strings.Trim(name, ".") == "" || strings.HasSuffix(name, ":"):
		return ""
	default:
		return terminal.Short(name)
	}
}
