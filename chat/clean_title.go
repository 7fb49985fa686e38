package chat

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	pb "windsock/probe/languageserver"
)

const (
	untitled = "untitled"
	// maxTitle is how many characters of a title are kept, and maxTitleBytes how
	// much of it is looked at.
	maxTitle      = 200
	maxTitleBytes = 8 << 10
)

// cascadeTitle is what the editor calls a cascade, in one line: the name that a
// person gave it, else the server's (PROTOCOL.md 7.6).
func cascadeTitle(s *pb.CascadeTrajectorySummary) string {
	for _, title := range []string{s.GetRenamedTitle(), s.GetSummary()} {
		if title = titleLine(title); title != "" {
			return title
		}
	}
	return untitled
}

// titleLine makes a text from outside fit for one line of a terminal: no escape
// sequences, no control characters, nothing that turns the direction of what
// follows, and blanks made single.
func titleLine(text string) string {
	text = text[:min(len(text), maxTitleBytes)]
	text = ansi.Strip(sevenBit.Replace(strings.ToValidUTF8(text, "")))
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d':
			return -1 // the two joiners are needed by emoji and by several scripts
		default:
			return r
		}
	}, strings.ToValidUTF8(text, ""))
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxTitle {
		text = strings.TrimRight(string(runes[:maxTitle-1]), " ") + "…"
	}
	return text
}

// sevenBit writes what begins and ends a sequence in the way in which ansi finds
// it; terminals know both.
var sevenBit = strings.NewReplacer(
	"\u0090", "\x1bP", "\u0098", "\x1bX", "\u009b", "\x1b[", "\u009c", "\x1b\\",
	"\u009d", "\x1b]", "\u009e", "\x1b^", "\u009f", "\x1b_",
)

// cascadeWorkspace is the base name of the first folder that a cascade belongs
// to: where that lies is nobody's business. "" is none.
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

// homeFolder is a person's own directory, whose base name is theirs.
var homeFolder = regexp.MustCompile(`^(?:(?:/?[A-Za-z]:|/var)?/(?:home|[Uu]sers)/[^/]+|/root)$`)

// folderName is the base name of a folder that is given by its URI, or by its
// path.
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
		return titleLine(name)
	}
}
