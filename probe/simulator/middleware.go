package simulator

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"
)

const (
	tokenHeader = "X-Codeium-Csrf-Token" //nolint:gosec // a header's name

	// maxRequest is far above any request there is.
	maxRequest = 16 << 20
)

// handler is the whole of what the RPC port does. From the outside in: what is
// no RPC at all goes through to connect-go, which answers 405 or 415 to it
// whatever the token (PROTOCOL.md 1); the call is recorded; a server that is
// still starting lets it wait; the token is checked; faults; the method.
func (s *Server) handler(methods http.Handler) http.Handler {
	errorWriter := connect.NewErrorWriter()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Any GET passes for a supported one, though no method here takes it.
		if r.Method != http.MethodPost || !errorWriter.IsSupported(r) {
			methods.ServeHTTP(w, r)
			return
		}
		if !s.record(r) {
			return // the client left in the middle of its request
		}
		_, fault := s.current()
		if fault == FaultSlowStart && !wait(r.Context(), s.cfg.SlowStart-time.Since(s.up)) {
			return
		}
		method := path.Base(r.URL.Path)
		if (s.cfg.DelayRPC == "" || s.cfg.DelayRPC == method) && !wait(r.Context(), s.cfg.Delay) {
			return
		}
		if fault == FaultWrongToken || r.Header.Get(tokenHeader) != s.cfg.Token {
			refuse(errorWriter, w, r)
			return
		}
		if method == s.cfg.FaultRPC && fail(fault, errorWriter, w, r) {
			return
		}
		if s.absent(method, errorWriter, w, r) {
			return
		}
		if method == s.cfg.FaultRPC && fault == FaultResetAfter {
			methods.ServeHTTP(unheard{http.Header{}}, r)
			reset(r.Context())
			return
		}
		methods.ServeHTTP(w, r)
	})
}

// cascadeMethods are those that go with Cascade.
var cascadeMethods = []string{
	"InitializeCascadePanelState", "StartCascade", "SendUserCascadeMessage", "CancelCascadeInvocation",
	"GetCascadeTranscriptForTrajectoryId", "GetCascadeTrajectory", "GetCascadeTrajectorySteps",
	"GetAllCascadeTrajectories", "ArchiveCascadeTrajectory",
}

// absent answers for a method that the server's release does not have, or that it
// does without.
func (s *Server) absent(method string, errorWriter *connect.ErrorWriter, w http.ResponseWriter, r *http.Request) bool {
	cascade := slices.Contains(cascadeMethods, method)
	newer := []string{"ArchiveCascadeTrajectory", "GetCascadeTranscriptForTrajectoryId"}
	switch {
	case s.cfg.Release == Release1 && slices.Contains(newer, method),
		cascade && s.cfg.Cascade.Retired == RetiredHidden:
		http.NotFound(w, r)
	case cascade && s.cfg.Cascade.Retired == RetiredUnimplemented, slices.Contains(s.cfg.Cascade.Missing, method):
		//nolint:errcheck,gosec // a client that is gone needs no answer
		errorWriter.Write(w, r, unimplemented(method))
	case method == "GetCascadeModelConfigs":
		//nolint:errcheck,gosec // a client that is gone needs no answer
		errorWriter.Write(w, r, connect.NewError(connect.CodeUnimplemented,
			errors.New("GetCascadeModelConfigs is not implemented; use GetUserStatus instead")))
	default:
		return false
	}
	return true
}

// refuse answers permission_denied in the protocol of the request. The real
// wording is not known: do not match on this one.
func refuse(errorWriter *connect.ErrorWriter, w http.ResponseWriter, r *http.Request) {
	//nolint:errcheck,gosec // a client that is gone needs no answer
	errorWriter.Write(w, r, connect.NewError(connect.CodePermissionDenied, errors.New("simulated refusal")))
}

// record notes the call and the key it carries before anything is answered, so
// that a refused request that should not have had a key is seen too. It reports
// whether the request came in whole.
func (s *Server) record(r *http.Request) bool {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	method := path.Base(r.URL.Path)
	in := readRequest(method, r.Header.Get("Content-Type"), body)
	var around strings.Builder
	around.WriteString(r.RequestURI + "\n")
	_ = r.Header.Write(&around) // a builder takes everything
	in.around = around.String()
	s.calls.add(in.call(method), in)
	return true
}

// wait reports whether the time passed before the connection ended. That is all
// it waits for: an end of the server, too, has to look like one to the client,
// and not like an empty answer.
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
