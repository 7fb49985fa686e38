package simulator

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"math"
	"net"
	"net/http"

	"connectrpc.com/connect"
)

// hugeBody is the size of FaultHuge's answer: too much for any client to hold.
const hugeBody = 64 << 20

// fail plays a fault of a single method. It reports false where there is none
// to play, so that the method has to answer.
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
	case FaultNone, FaultWrongToken, FaultSlowStart, FaultResetAfter:
		return false
	default:
		return false
	}
	return true
}

// writeHuge writes JSON that is valid to its end, so that a client without a
// limit of its own reads all of it.
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

// write reports whether the client was still there.
func write(w io.Writer, p []byte) bool {
	_, err := w.Write(p)
	return err == nil
}

// unheard is a response writer whose client hears nothing of the answer.
type unheard struct{ header http.Header }

func (u unheard) Header() http.Header         { return u.header }
func (u unheard) Write(p []byte) (int, error) { return len(p), nil }
func (u unheard) WriteHeader(int)             {}
func (u unheard) Flush()                      {}

type connKey struct{}

// withConn lets reset find the connection that a request came in on; hijacking
// it would not work in HTTP/2.
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
	// Closing with a linger time of zero is what makes it a reset. Both can
	// only fail on a connection that is gone already.
	_ = tcp.SetLinger(0)
	_ = tcp.Close()
}
