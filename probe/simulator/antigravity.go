package simulator

import (
	"fmt"
	"net/http"
	"slices"
)

// An Antigravity is a kind of server of Antigravity; empty is none, but Windsurf's.
type Antigravity string

// The kinds.
const (
	AntigravityApp Antigravity = "app" // the desktop app's
	AntigravityIDE Antigravity = "ide" // the editor's, which has no summary of quotas
	AntigravityCLI Antigravity = "cli" // agy, which keeps its token to itself
)

func (a Antigravity) validate() error {
	all := []Antigravity{AntigravityApp, AntigravityIDE, AntigravityCLI}
	if a == "" || slices.Contains(all, a) {
		return nil
	}
	return fmt.Errorf("unknown kind of Antigravity %q, want one of %q", a, all)
}

// The methods of Antigravity.
const (
	methodProbe   = "GetUnleashData"
	methodSummary = "RetrieveUserQuotaSummary"
	methodStatus  = "GetUserStatus"
)

// figures is the method that tells most.
func (a Antigravity) figures() string {
	if a == AntigravityIDE {
		return methodStatus
	}
	return methodSummary
}

// neededHeaders are those that net/http, Connect and the token need.
var neededHeaders = []string{
	"Accept-Encoding", "Connect-Protocol-Version", "Connect-Timeout-Ms", "Connection", "Content-Encoding",
	"Content-Length", "Content-Type", "User-Agent", tokenHeader,
}

// antigravityViolations are what is wrong with any request to Antigravity: its server
// holds the sign-in itself, so that a client has nothing to send but the token.
func antigravityViolations(call Call, header http.Header) []string {
	var found []string
	if call.Key != "" {
		found = append(found, "an api key to antigravity")
	}
	var strange []string
	for name := range header {
		if !slices.Contains(neededHeaders, name) {
			strange = append(strange, name)
		}
	}
	slices.Sort(strange)
	for _, name := range strange {
		found = append(found, fmt.Sprintf("the header %s to antigravity", name))
	}
	return found
}
