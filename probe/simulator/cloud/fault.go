package cloud

import (
	"compress/gzip"
	"context"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Fault is a way for the services to fail.
type Fault string

// The faults. The first four affect the way to a host, and so all methods.
const (
	FaultNone       Fault = ""
	FaultOffline    Fault = "offline"     // the proxy ends the connection
	FaultProxyLogin Fault = "proxy_login" // the proxy wants a login
	FaultUntrusted  Fault = "untrusted"   // a certificate by an unknown root

	FaultInvalid       Fault = "invalid_argument"
	FaultNotKnown      Fault = "unauthenticated" // whatever the token
	FaultErrorIn200    Fault = "error_in_200"    // the same, with status 200
	FaultCanceled      Fault = "forbidden_canceled"
	FaultDisabled      Fault = "forbidden_by_team"
	FaultForbidden     Fault = "forbidden"
	FaultNoMethod      Fault = "no_method" // 404, text
	FaultUnimplemented Fault = "unimplemented"
	FaultTooMany       Fault = "too_many"      // 429, Retry-After in seconds
	FaultTooManyUntil  Fault = "too_many_date" // 429, Retry-After as a date
	FaultInternal      Fault = "internal"      // 500, text
	FaultUnavailable   Fault = "unavailable"   // 503, a page
	FaultRedirect      Fault = "redirect"      // to another host; see TrapHost
	FaultPage          Fault = "page"          // 200, a page
	FaultEmpty         Fault = "empty"         // 200, {}
	FaultCutOff        Fault = "cut_off"       // 200, the beginning of an answer
	FaultHuge          Fault = "huge"          // 200, 2 MiB
	FaultBomb          Fault = "gzip_bomb"     // 200, 16 KiB that unpack to 16 MiB
	FaultDrip          Fault = "slow_drip"     // 200, a byte now and then, without end
	FaultHang          Fault = "hang"          // no answer
)

// TrapHost is where FaultRedirect leads to. A request to it stands in [Server.Requests]
// like any other.
const TrapHost = "login.example.net"

// Faults returns all faults but FaultNone.
func Faults() []Fault {
	return slices.Sorted(maps.Keys(faults))[1:]
}

// A failure is what a fault answers: a status, a Retry-After and a text, or what act
// writes. Without any of these the request is answered as ever.
type failure struct {
	status     int
	retryAfter string
	body       string
	act        func(*Server, http.ResponseWriter, *http.Request)
}

var faults = map[Fault]failure{
	FaultNone: {}, FaultOffline: {}, FaultProxyLogin: {}, FaultUntrusted: {},

	FaultInvalid:       {status: 400, body: `{"code":"invalid_argument","message":"invalid argument"}`},
	FaultNotKnown:      {status: 401, body: `{"code":"unauthenticated","message":"invalid API key"}`},
	FaultErrorIn200:    {status: 200, body: `{"code":"unauthenticated","message":"invalid API key"}`},
	FaultCanceled:      {status: 403, body: `{"code":"permission_denied","message":"Your subscription has been canceled. Resubscribe to continue."}`},
	FaultDisabled:      {status: 403, body: `{"code":"permission_denied","message":"User is Disabled by Team"}`},
	FaultForbidden:     {status: 403, body: `{"code":"permission_denied","message":"permission denied"}`},
	FaultNoMethod:      {status: 404, body: "404 page not found"},
	FaultUnimplemented: {status: 501, body: `{"code":"unimplemented","message":"not implemented"}`},
	FaultTooMany:       {status: 429, retryAfter: "120", body: `{"code":"resource_exhausted","message":"rate limited"}`},
	FaultInternal:      {status: 500, body: "Internal Server Error"},
	FaultUnavailable:   {status: 503, body: "<html><body>503</body></html>"},
	FaultPage:          {status: 200, body: "<html><title>Sign in to Wi-Fi</title></html>"},
	FaultEmpty:         {status: 200, body: "{}"},
	FaultCutOff:        {status: 200, body: `{"planStatus":{"planInfo":{"planName":"Pr`},

	FaultTooManyUntil: {act: func(s *Server, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", s.cfg.Now().Add(5*time.Minute).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusTooManyRequests)
	}},
	FaultRedirect: {act: func(_ *Server, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://"+TrapHost+r.URL.Path, http.StatusTemporaryRedirect)
	}},
	FaultHuge: {act: func(_ *Server, w http.ResponseWriter, _ *http.Request) { // made here: the app has this table, too
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"planStatus":{"planInfo":{"planName":"`+strings.Repeat("a", 2<<20)+`"}}}`)
	}},
	FaultBomb: {act: func(_ *Server, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		_, _ = io.CopyN(packed, spaces{}, 16<<20) // a client that has had enough is gone
		_ = packed.Close()
	}},
	FaultDrip: {act: func(_ *Server, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for _, err := io.WriteString(w, "{"); err == nil && wait(r.Context(), 100*time.Millisecond); {
			if _, err = io.WriteString(w, " "); err == nil {
				err = http.NewResponseController(w).Flush()
			}
		}
		lose(w)
	}},
	FaultHang: {act: func(_ *Server, w http.ResponseWriter, r *http.Request) {
		wait(r.Context(), math.MaxInt64)
		lose(w)
	}},
}

// fails writes the answer of a fault. It reports whether there is one.
func (s *Server) fails(fault Fault, w http.ResponseWriter, r *http.Request) bool {
	f := faults[fault]
	switch {
	case f.act != nil:
		f.act(s, w, r)
	case f.status == 0:
		return false
	default:
		if f.retryAfter != "" {
			w.Header().Set("Retry-After", f.retryAfter)
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if strings.HasPrefix(f.body, "{") {
			w.Header().Set("Content-Type", "application/json")
		} else if strings.HasPrefix(f.body, "<") {
			w.Header().Set("Content-Type", "text/html")
		}
		w.WriteHeader(f.status)
		_, _ = io.WriteString(w, f.body) // a client that is gone needs no answer
	}
	return true
}

// lose keeps the end of an answer from being written: to a client that is about to leave,
// it must not look complete.
func lose(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0)) // it fails where there is no connection any more
}

// spaces is endless white space, which is part of any JSON.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// wait reports whether the time passed before the client, or the server, was gone.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
