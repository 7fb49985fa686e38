package simulator

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"slices"

	"connectrpc.com/connect"
)

// A Fault is a way for a server to fail. FaultWrongToken and FaultSlowStart affect
// every method. The other faults affect only the method in Config.FaultRPC; all other
// methods, above all GetUnleashData, keep answering.
type Fault string

// The faults.
const (
	FaultNone       Fault = ""
	FaultHang       Fault = "hang"        // no response, until the client gives up
	FaultReset      Fault = "reset"       // the connection is reset (TCP RST)
	FaultResetAfter Fault = "reset_after" // it is reset after the request took effect
	FaultGarbage    Fault = "garbage"     // HTTP 200, a JSON content type, and a page of HTML
	FaultError500   Fault = "error_500"   // HTTP 500 that is not in Connect form
	FaultHuge       Fault = "huge"        // HTTP 200 and 64 MB of JSON
	FaultReject     Fault = "reject"      // permission_denied, although the handshake passes
	FaultWrongToken Fault = "wrong_token" // permission_denied on every RPC, for any token
	FaultSlowStart  Fault = "slow_start"  // every RPC waits until SlowStart has passed
)

// The faults that only Antigravity's server has. The last two affect all methods that
// need a signed-in user.
const (
	FaultErrorIn200  Fault = "error_in_200"  // HTTP 200 and {"code":16}
	FaultNoMethod    Fault = "no_method"     // HTTP 404, as from a version without the method
	FaultNotLoggedIn Fault = "not_logged_in" // HTTP 500, internal
	FaultNotReady    Fault = "not_ready"     // the same until SlowStart has passed
)

// Faults returns all faults of Windsurf's server but FaultNone.
func Faults() []Fault {
	return []Fault{
		FaultHang, FaultReset, FaultResetAfter, FaultGarbage, FaultError500, FaultHuge,
		FaultReject, FaultWrongToken, FaultSlowStart,
	}
}

// AntigravityFaults returns all faults of Antigravity's server but FaultNone.
func AntigravityFaults() []Fault {
	return append(Faults(), FaultErrorIn200, FaultNoMethod, FaultNotLoggedIn, FaultNotReady)
}

func (c Config) validateFault(f Fault) error {
	all := Faults()
	if c.Antigravity != "" {
		all = AntigravityFaults()
	}
	if f == FaultNone || slices.Contains(all, f) {
		return nil
	}
	return fmt.Errorf("unknown fault %q, want one of %q", f, all)
}

// hugeBody is the size of FaultHuge's response: too much for any client to hold.
const hugeBody = 64 << 20

// fail simulates a fault of a single method. It returns false if the method has to
// answer.
func fail(fault Fault, errorWriter *connect.ErrorWriter, w http.ResponseWriter, r *http.Request) bool {
	switch fault {
	case FaultHang:
		wait(r.Context(), math.MaxInt64)
	case FaultReset:
		reset(r.Context())
	case FaultGarbage:
		w.Header().Set("Content-Type", "application/json")
		write(w, []byte("<!DOCTYPE html><title>Not what you asked for</title>"))
	case FaultError500:
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
	case FaultHuge:
		writeHuge(w)
	case FaultReject:
		refuse(errorWriter, w, r)
	default:
		return false
	}
	return true
}

// writeHuge writes valid JSON, so that a client without a size limit reads all of it.
func writeHuge(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	write(w, []byte(`{"userStatus":{"name":"`))
	chunk := bytes.Repeat([]byte("a"), 1<<16)
	for range hugeBody / len(chunk) {
		if !write(w, chunk) {
			return
		}
	}
	write(w, []byte(`"}}`))
}

// write reports whether the client is still connected.
func write(w io.Writer, p []byte) bool {
	_, err := w.Write(p)
	return err == nil
}

// unheard is a response writer that discards the response.
type unheard struct{ header http.Header }

func (u unheard) Header() http.Header         { return u.header }
func (u unheard) Write(p []byte) (int, error) { return len(p), nil }
func (u unheard) WriteHeader(int)             {}
func (u unheard) Flush()                      {}

type connKey struct{}

// withConn stores the connection of a request for reset; hijacking it would not work in
// HTTP/2.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// reset ends the request's connection with a TCP RST.
func reset(ctx context.Context) {
	conn, _ := ctx.Value(connKey{}).(net.Conn)
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	// A linger time of zero makes closing a reset. Both calls fail only if the
	// connection is gone already.
	_ = tcp.SetLinger(0)
	_ = tcp.Close()
}
