package doctor

import (
	"fmt"
	"net/netip"
	"path"
	"regexp"
	"strings"
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

// processWords says which process it is. Its path has a user's name in it, and
// its other flags may hold anything.
func processWords(p system.Process) string {
	words := fmt.Sprintf("%d %s", p.PID, programName(p.Path))
	if version := plainVersion.FindString(p.Version); version != "" {
		words += " " + version
	}
	if p.Age > 0 {
		words += ", started " + ago(p.Age)
	}
	return words
}

func tokenWords(p system.Process) string {
	place := p.TokenFrom
	if strings.HasPrefix(place, "--") {
		place = "flag " + place
	}
	return fmt.Sprintf("in its %s, %s", place, form(p.Token))
}

// portWords tells the ports, and whether what listens there is the process.
func portWords(t *probe.Trace) string {
	switch {
	case len(t.Strangers) > 0:
		return probe.PortList(t.Ports) + "; not its own: " + probe.PortList(t.Strangers)
	case len(t.Ports) == 1:
		return probe.PortList(t.Ports) + ", its own"
	default:
		return probe.PortList(t.Ports) + ", all its own"
	}
}

// answerWords tells what each port said, where none answered.
func answerWords(answers []probe.PortAnswer) string {
	words := make([]string, len(answers))
	for i, a := range answers {
		words[i] = fmt.Sprintf("port %d %s", a.Addr.Port(), a.Says)
	}
	return strings.Join(words, "; ")
}

// baseWords says which port answered, and how.
func baseWords(t *probe.Trace) string {
	scheme, address, _ := strings.Cut(t.Base, "://")
	addr, err := netip.ParseAddrPort(address)
	if err != nil {
		return ""
	}
	words := fmt.Sprintf("port %d answers over %s", addr.Port(), scheme)
	if len(t.Ports) > 1 {
		words += fmt.Sprintf(" (%d were asked)", len(t.Ports))
	}
	return words
}

func callWords(t *probe.Trace) string {
	words := "GetUserStatus answered with " + humanize.Bytes(uint64(len(t.Raw)))
	if t.Keys < 2 {
		return words
	}
	place := "that was found"
	for _, s := range t.SignIns {
		if s.Err == nil && s.Key.Equal(t.Key) {
			place = "in " + s.Title
			break
		}
	}
	return words + ", to the key " + place
}

// signInWords lists stored sign-ins, with nothing of a key but form and length.
func signInWords(dirs signin.Dirs, found []signin.SignIn) string {
	if len(found) == 0 {
		return dirs.NoSignIn()
	}
	words := make([]string, len(found))
	for i, s := range found {
		if s.Err != nil {
			words[i] = s.Title + ": " + s.Err.Error()
			continue
		}
		words[i] = form(s.Key) + " in " + s.Title
	}
	return strings.Join(words, "; ")
}
