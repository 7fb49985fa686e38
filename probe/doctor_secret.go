package probe

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
// a shorter one is none, and may be a part of any word.
const leastSecret = 6

var address = regexp.MustCompile(`[^\s@"'<>]+@[^\s@"'<>]+`)

// scrub takes out of all that is told what got in by an error's text in spite of
// all: secrets that were read, addresses, and the directories that have the
// user's name in them.
func (e *examination) scrub() {
	type place struct{ dir, sign string }
	home, _ := os.UserHomeDir()
	var pairs []string // of two that fit, the earlier is taken
	for _, s := range e.secrets {
		if text := s.Reveal(); len(text) >= leastSecret {
			pairs = append(pairs, text, secret.Redacted)
		}
	}
	places := []place{
		{home, "~"},
		{e.finder.where.Home, "~"},
		{e.finder.where.Config, "~config"},
		{e.finder.where.Data, "$XDG_DATA_HOME"},
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(len(b.dir), len(a.dir)) })
	for _, p := range places {
		if dir := filepath.Clean(p.dir); p.dir != "" && dir != filepath.Dir(dir) { // no root
			pairs = append(pairs, dir, p.sign)
		}
	}
	known := strings.NewReplacer(pairs...)
	clean := func(text string) string { return address.ReplaceAllString(known.Replace(text), secret.Redacted) }
	for i, s := range e.found.Steps {
		e.found.Steps[i].Finding, e.found.Steps[i].Cure = clean(s.Finding), clean(s.Cure)
	}
	e.found.Verdict = clean(e.found.Verdict)
}
