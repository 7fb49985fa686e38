package clean

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"strings"

	"windsock/chat/cascade"
	pb "windsock/probe/languageserver"
	"windsock/probe/terminal"
)

const untitled = "untitled"

func cascadeTitle(s *pb.CascadeTrajectorySummary) string { return cmp.Or(cascade.Title(s), untitled) }

// cascadeWorkspace is the base name of a cascade's first folder, without its path for
// privacy; "" without a folder.
func cascadeWorkspace(s *pb.CascadeTrajectorySummary) string {
	for _, w := range s.GetWorkspaces() {
		for _, uri := range []string{w.GetWorkspaceFolderAbsoluteUri(), w.GetGitRootAbsoluteUri()} {
			if name := folderName(uri); name != "" {
				return name
			}
		}
	}
	return ""
}

// homeFolder matches a home directory: its base name is the person's.
var homeFolder = regexp.MustCompile(`^(?:(?:/?[A-Za-z]:|/var)?/(?:home|[Uu]sers)/[^/]+|/root)$`)

// folderName is the base name of a folder that is given as a URI or a path.
func folderName(uri string) string {
	folder := uri
	if _, rest, ok := strings.Cut(uri, "://"); ok {
		folder = rest
		if u, err := url.Parse(uri); err == nil {
			folder = u.Path
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
