package doctor

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"windsock/probe/secret"
	"windsock/probe/signin"
)

// form tells of a secret which of the known forms it has, and its length
// (PROTOCOL.md 2.2): enough to see that it is the wrong one or was cut.
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

// leastSecret is the length from which on a secret is looked for in what is told:
// a shorter text is no secret, and may be a part of any word.
const leastSecret = 6

var address = regexp.MustCompile(`[^\s@"'<>]+@[^\s@"'<>]+`)

// scrub takes out of a diagnosis what an error's text may have brought in: secrets
// that were read, addresses, and the directories with the user's name in them.
func (g Diagnosis) scrub(secrets []secret.Secret, dirs signin.Dirs) Diagnosis {
	type directory struct{ path, sign string }
	home, _ := os.UserHomeDir()
	var pairs []string // of two that fit, the earlier is taken
	for _, s := range secrets {
		if text := s.Reveal(); len(text) >= leastSecret {
			pairs = append(pairs, text, secret.Redacted)
		}
	}
	directories := []directory{{home, "~"}, {dirs.Home, "~"}, {dirs.Config, "~config"}, {dirs.Data, "$XDG_DATA_HOME"}}
	slices.SortStableFunc(directories, func(a, b directory) int { return cmp.Compare(len(b.path), len(a.path)) })
	for _, d := range directories {
		if path := filepath.Clean(d.path); d.path != "" && path != filepath.Dir(path) { // no root
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
