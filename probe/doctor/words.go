package doctor

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"windsock/probe"
	"windsock/probe/signin"
	"windsock/probe/system"
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

// plainVersion is the numeric part of a version, which holds no words. It is compiled at
// its first use, as it takes long.
var plainVersion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,5}(\.[0-9]{1,5}){1,3}`) })

var plainProgram = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(agy|language[_-]server([_-][a-z0-9]{1,8}){0,3})(\.exe)?$`)
})

// programName is the file name of a server, if it is one of the known names.
func programName(file string) string {
	if name := path.Base(strings.ReplaceAll(file, `\`, "/")); plainProgram().MatchString(name) {
		return name
	}
	return "under an unusual name"
}

// processWords identifies a process. It omits the path, which holds a user's name, and
// the other flags, which may hold anything.
func processWords(p system.Process) string {
	words := fmt.Sprintf("%d %s", p.PID, programName(p.Path))
	if version := plainVersion().FindString(p.Version); version != "" {
		words += " " + version
	}
	if p.Age > 0 {
		words += ", started " + ago(p.Age)
	}
	return words
}

// stepWords describe what a step of discovery observed; "" if its failure says enough.
// Entries with ofFailure also describe failed steps.
var stepWords = map[string]struct {
	of        func(*probe.Trace, signin.Dirs) string
	ofFailure bool
}{
	probe.StepToken: {of: func(t *probe.Trace, _ signin.Dirs) string {
		place := t.Process.TokenFrom
		if strings.HasPrefix(place, "--") {
			place = "flag " + place
		}
		return fmt.Sprintf("in its %s, %s", place, form(t.Process.Token))
	}},
	probe.StepPorts: {of: func(t *probe.Trace, _ signin.Dirs) string {
		ports := probe.PortList(t.Ports)
		switch {
		case len(t.Strangers) > 0:
			return ports + "; not its own: " + probe.PortList(t.Strangers)
		case len(t.Ports) == 1:
			return ports + ", its own"
		default:
			return ports + ", all its own"
		}
	}},
	probe.StepHandshake: {ofFailure: true, of: func(t *probe.Trace, _ signin.Dirs) string {
		words := make([]string, len(t.Answers))
		for i, a := range t.Answers {
			words[i] = fmt.Sprintf("port %d %s", a.Addr.Port(), a.Says)
		}
		base, err := url.Parse(t.Base)
		if err == nil && t.Base != "" {
			words = []string{fmt.Sprintf("port %s answers over %s", base.Port(), base.Scheme)}
			if len(t.Ports) > 1 {
				words[0] += fmt.Sprintf(" (%d were asked)", len(t.Ports))
			}
		}
		return strings.Join(words, "; ")
	}},
	probe.StepKey: {ofFailure: true, of: func(t *probe.Trace, dirs signin.Dirs) string { return signInWords(dirs, t.SignIns) }},
	probe.StepCall: {of: func(t *probe.Trace, _ signin.Dirs) string {
		words := t.Method + " answered with " + humanize.Bytes(uint64(len(t.Raw)))
		for _, s := range t.SignIns {
			if t.Keys > 1 && s.Err == nil && s.Key.Equal(t.Key) {
				return words + ", to the key in " + s.Title
			}
		}
		return words
	}},
}

// signInWords lists stored sign-ins. Of a key it gives only form and length.
func signInWords(dirs signin.Dirs, found []signin.SignIn) string {
	if len(found) == 0 {
		return dirs.NoSignIn()
	}
	words := make([]string, len(found))
	for i, s := range found {
		words[i] = form(s.Key) + " in " + s.Title
		if s.Err != nil {
			words[i] = s.Title + ": " + s.Err.Error()
		}
	}
	return strings.Join(words, "; ")
}
