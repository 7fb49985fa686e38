package doctor

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"windsock/probe/secret"
	"windsock/probe/signin"
	"windsock/probe/sorted"
)

// form describes a secret by its form, if known, and its length (PROTOCOL.md 2.2):
// enough to recognise a wrong or truncated one.
func form(s secret.Secret) string {
	text := s.Reveal()
	kind := "unknown form"
	switch _, err := uuid.Parse(text); {
	case err == nil && len(text) == 36:
		kind = "UUID"
	case strings.HasPrefix(text, "sk-ws-01-"):
		kind = "sk-ws-01"
	case strings.HasPrefix(text, "devin-session-token$"):
		kind = "devin-session-token"
	case strings.HasPrefix(text, "cog_"):
		kind = "cog_"
	}
	return fmt.Sprintf("%s of %d characters", kind, utf8.RuneCountInString(text))
}

// leastSecret is the minimum length of a secret to be removed from texts. A shorter
// text is no secret, and may be a part of any word.
const leastSecret = 6

var address = regexp.MustCompile(`[^\s@"'<>]+@[^\s@"'<>]+`)

// scrub removes from a diagnosis what an error's text may contain: the secrets that
// were read, addresses, and the directories with the user's name.
func (g Diagnosis) scrub(secrets []secret.Secret, dirs signin.Dirs) Diagnosis {
	type directory struct{ path, sign string }
	home, _ := os.UserHomeDir()
	var pairs []string // the first match wins
	for _, s := range secrets {
		if text := s.Reveal(); len(text) >= leastSecret {
			pairs = append(pairs, text, secret.Redacted)
		}
	}
	directories := []directory{{home, "~"}, {dirs.Home, "~"}, {dirs.Config, "~config"}, {dirs.Data, "$XDG_DATA_HOME"}}
	sorted.By(directories, func(a, b directory) int { return cmp.Compare(len(b.path), len(a.path)) })
	for _, d := range directories {
		if path := filepath.Clean(d.path); d.path != "" && path != filepath.Dir(path) { // not a root
			pairs = append(pairs, path, d.sign)
		}
	}
	known := strings.NewReplacer(pairs...)
	clean := func(text string) string { return address.ReplaceAllString(known.Replace(text), secret.Redacted) }
	for i, s := range g.Steps {
		g.Steps[i].Finding, g.Steps[i].Cure = clean(s.Finding), clean(s.Cure)
	}
	g.Verdict = clean(g.Verdict)
	return g
}
