package cloud

import "strings"

// Hosts of the makers (PROTOCOL.md 9.2, 10.2).
const (
	hostWindsurf  = "server.codeium.com"
	hostSelfServe = "server.self-serve.windsurf.com"
	hostEU        = "eu.windsurf.com"
	hostFedStart  = "windsurf.fedstart.com"
	hostCursor    = "api2.cursor.sh"

	// tenants is the domain of which each label is one company's host.
	tenants = ".windsurf.com"
	// route is the path of the service at every host of Windsurf's but the first two.
	route = "/_route/api_server"
)

// prefix is the path at a host below which the service's methods are.
func prefix(host string) string {
	switch host {
	case hostWindsurf, hostSelfServe, hostCursor:
		return ""
	default:
		return route
	}
}

// hostOf is the host that a sign-in of Windsurf's names by its URL; without one, that is
// the default host. It is false for a URL of any other form than https://HOST and the
// path of that host: nothing may be sent there, and to no default either.
func hostOf(url string) (host string, ok bool) {
	if url == "" {
		return hostWindsurf, true
	}
	rest, https := strings.CutPrefix(url, "https://")
	host, path, below := strings.Cut(strings.TrimSuffix(rest, "/"), "/")
	if below {
		path = "/" + path
	}
	if !https || !isHost(host) || path != prefix(host) || host == hostCursor {
		return "", false
	}
	return host, true
}

// isKnown reports whether Windsock knows a host as the maker's. Another one counts only
// if a person has typed it.
func isKnown(host string) bool {
	switch host {
	case hostWindsurf, hostSelfServe, hostEU, hostFedStart, hostCursor:
		return true
	}
	tenant, is := strings.CutSuffix(host, tenants)
	return is && isHost(host) && !strings.Contains(tenant, ".")
}

// isHost reports whether text is a host's name as it may be asked at: lower-case labels
// of ASCII, two at least, without a port, and no address.
func isHost(text string) bool {
	labels := strings.Split(text, ".")
	if len(text) > 253 || len(labels) < 2 {
		return false
	}
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	last := labels[len(labels)-1]
	return last[0] > '9' // an address of numbers ends in one
}
