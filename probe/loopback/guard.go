package loopback

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
)

// Refusal is the reason why a [Guard] rejects a request. The response to each has the
// status 403.
type Refusal string

// The refusals.
const (
	ForeignHost Refusal = "foreign_host" // the request is for another host
	ForeignUser Refusal = "foreign_user" // it comes from another account
	ForeignPage Refusal = "foreign_page" // it comes from a page in a browser
)

// Sentence is the reason as a sentence for people.
func (r Refusal) Sentence() string {
	switch r {
	case ForeignHost:
		return "This address is not served here. Use 127.0.0.1 and the port."
	case ForeignUser:
		return "This is served to the account alone that started it."
	case ForeignPage:
		return "Pages in a browser are not served."
	}
	return "This is not served."
}

// Guard decides which requests reach a handler.
type Guard struct {
	// Hosts are the allowed values of the Host header, compared exactly.
	Hosts []string
	// Page checks a request that a browser may have sent, like the Check of an
	// http.CrossOriginProtection. Nil is [NoPage].
	Page func(*http.Request) error
	// Refuse answers a rejected request.
	Refuse func(http.ResponseWriter, *http.Request, Refusal)
}

// Wrap returns a handler that passes a request to next if it names one of the hosts,
// comes from this account, and not from a foreign page. The account is looked up when
// the connection is accepted, so the server must be one of [NewServer] on a [Listener];
// any other connection is foreign.
func (g Guard) Wrap(next http.Handler) http.Handler {
	page := g.Page
	if page == nil {
		page = NoPage
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !slices.Contains(g.Hosts, r.Host):
			g.Refuse(w, r, ForeignHost)
		case peerOf(r.Context()) == peerForeign:
			g.Refuse(w, r, ForeignUser)
		case page(r) != nil:
			g.Refuse(w, r, ForeignPage)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

var errPage = errors.New("request of a page")

// NoPage rejects every request that a page can send: with an Origin header, or with
// Fetch Metadata that names a page. Programs send neither.
func NoPage(r *http.Request) error {
	site := r.Header.Values("Sec-Fetch-Site")
	if len(r.Header.Values("Origin")) > 0 || len(site) > 1 || len(site) == 1 && site[0] != "none" {
		return errPage
	}
	return nil
}

type peerKey struct{}

// withPeer stores the owner of a connection in the context.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	if known, ok := c.(*conn); ok {
		return context.WithValue(ctx, peerKey{}, known.peer)
	}
	return ctx
}

func peerOf(ctx context.Context) peer {
	p, _ := ctx.Value(peerKey{}).(peer)
	return p
}
