package loopback

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	// headerTime bounds the head of a request, idleTime the wait for the next request
	// on the connection, and headSize the size of a head.
	headerTime = 5 * time.Second
	idleTime   = 2 * time.Minute
	headSize   = 32 << 10
)

// NewServer returns a server for a [Listener]. It bounds the time and size of heads.
// [ReadBody] bounds bodies, because the deadline of a request must not end a response
// that is streamed.
func NewServer(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headSize,
		// net/http itself logs broken connections only.
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			if known, ok := c.(*conn); ok && known.err != nil {
				logger.WarnContext(ctx, "whose a connection is cannot be seen", slog.Any("err", known.err))
			}
			return withPeer(ctx, c)
		},
	}
}

// The errors of ReadBody.
var (
	ErrBodyTooLarge = errors.New("the body is too large")
	ErrBodyTooSlow  = errors.New("the body comes too slowly")
)

// ReadBody reads a request's body to its end, at most so many bytes, within so much
// time. The error is ErrBodyTooLarge, ErrBodyTooSlow or that of a broken connection;
// after any of them the connection cannot be used any more.
func ReadBody(w http.ResponseWriter, r *http.Request, most int64, within time.Duration) ([]byte, error) {
	control := http.NewResponseController(w)
	limited := control.SetReadDeadline(time.Now().Add(within)) == nil
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err == nil {
		if limited { // otherwise the deadline would end the request's context
			err = control.SetReadDeadline(time.Time{})
		}
		return body, err
	}
	w.Header().Set("Connection", "close")
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, ErrBodyTooLarge
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return nil, ErrBodyTooSlow
	}
	return nil, err
}
