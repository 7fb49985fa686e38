package clean

import (
	"cmp"

	"windsock/chat/cascade"
	pb "windsock/probe/languageserver"
	"windsock/probe/redact"
)

const untitled = "untitled"

func cascadeTitle(s *pb.CascadeTrajectorySummary) string { return cmp.Or(cascade.Title(s), untitled) }

// cascadeWorkspace is the base name of a cascade's first folder, without its path for
// privacy; "" without a folder.
func cascadeWorkspace(s *pb.CascadeTrajectorySummary) string {
	for _, w := range s.GetWorkspaces() {
		for _, uri := range []string{w.GetWorkspaceFolderAbsoluteUri(), w.GetGitRootAbsoluteUri()} {
			if name := redact.Folder(uri); name != "" {
				return name
			}
		}
	}
	return ""
}
