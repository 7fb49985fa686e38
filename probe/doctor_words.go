package probe

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"windsock/probe/say"
)

// ago says how long ago, in the largest unit that has passed.
func ago(d time.Duration) string {
	switch {
	case d < time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	default:
		return fmt.Sprintf("%dd ago", d/(24*time.Hour))
	}
}

func size(bytes int) string { return humanize.Bytes(uint64(bytes)) } //nolint:gosec // a length is positive

// plainVersion is the part of a version that nobody can have put a word into.
var plainVersion = regexp.MustCompile(`^[0-9]{1,5}(\.[0-9]{1,5}){1,3}`)

var plainProgram = regexp.MustCompile(`^language_server(_[a-z0-9]{1,8}){0,3}(\.exe)?$`)

// programName is the file name of a server, if it is one that editors are known
// to use.
func programName(file string) string {
	if name := path.Base(strings.ReplaceAll(file, `\`, "/")); plainProgram.MatchString(name) {
		return name
	}
	return "under an unusual name"
}

// sentenceOf is what an error says to people.
func sentenceOf(err error) string {
	return say.Sentence(err, err.Error())
}

// clauseAndCure takes sentences apart: the first, as a clause, from what to do.
func clauseAndCure(sentences string) (clause, cure string) {
	clause, cure, _ = strings.Cut(sentences, ". ")
	return strings.TrimSuffix(clause, "."), cure
}
