package cloud

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// A maker is a maker's service. The zero maker is a host of nobody's, at which a request
// has nothing to do.
type maker struct {
	// headers are those that its calls need, and those of HTTP itself.
	headers []string
	answer  func(*Server, http.ResponseWriter, incoming)
}

// The hosts (PROTOCOL.md 9.2, 10.2).
const (
	hostUS        = "server.codeium.com"
	hostSelfServe = "server.self-serve.windsurf.com"
	hostCursor    = "api2.cursor.sh"
)

// httpHeaders are those of a plain call in JSON by Connect.
var httpHeaders = []string{"Accept", "Accept-Encoding", "Connect-Protocol-Version", "Content-Length", "Content-Type", "User-Agent"}

func makerOf(host string) maker {
	switch {
	case host == hostCursor:
		return maker{append(slices.Clone(httpHeaders), "Authorization"), (*Server).cursor}
	case host == hostUS, host == "windsurf.fedstart.com", strings.HasSuffix(host, ".windsurf.com"):
		return maker{append(slices.Clone(httpHeaders), "X-Auth-Token"), (*Server).windsurf}
	default:
		return maker{headers: httpHeaders}
	}
}

// at reports whether the account is known at a host.
func (a Account) at(host string) bool {
	switch {
	case a.Host != "":
		return host == a.Host
	case a.Cursor != "":
		return host == hostCursor
	default:
		return host == hostUS || host == hostSelfServe
	}
}

var keyInBody = regexp.MustCompile(`"api_?[kK]ey"\s*:\s*"([^"]+)"`)

// token is the token of a request, wherever it stands.
func (maker) token(in incoming) string {
	if token, ok := strings.CutPrefix(in.Header.Get("Authorization"), "Bearer "); ok {
		return token
	}
	for _, name := range []string{"X-Auth-Token", "X-Api-Key"} {
		if token := in.Header.Get(name); token != "" {
			return token
		}
	}
	if match := keyInBody.FindStringSubmatch(in.body); match != nil {
		return match[1]
	}
	return ""
}

// refuse writes an error in Connect's form.
func refuse(w http.ResponseWriter, status int, code, message string) {
	reply(w, status, map[string]any{"code": code, "message": message})
}

func reply(w http.ResponseWriter, status int, message any) {
	text, err := json.Marshal(message)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that is gone needs no answer
}

// notFound is the answer to an unknown path: text, no JSON.
func notFound(w http.ResponseWriter) { http.Error(w, "404 page not found", http.StatusNotFound) }
