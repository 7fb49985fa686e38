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

	// maxRequest is far above any real request.
	maxRequest = 16 << 20
)

// handler does all the work of the RPC port, in this order: pass what is not an RPC to
// connect-go, which answers 405 or 415 for any token (PROTOCOL.md 1); record the call;
// let it wait while the server starts; check the token; apply the fault; call the
// method.
func (s *Server) handler(methods http.Handler) http.Handler {
	errorWriter := connect.NewErrorWriter()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// IsSupported accepts every GET, but no method here does.
		if r.Method != http.MethodPost || !errorWriter.IsSupported(r) {
			methods.ServeHTTP(w, r)
			return
		}
		in, ok := s.record(r)
		if !ok {
			return // the client disconnected in the middle of its request
		}
		defer s.calls.answered(in)
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

// cascadeMethods are the methods of Cascade.
var cascadeMethods = []string{
	"InitializeCascadePanelState", "StartCascade", "SendUserCascadeMessage", "CancelCascadeInvocation",
	"GetCascadeTranscriptForTrajectoryId", "GetCascadeTrajectory", "GetCascadeTrajectorySteps",
	"GetAllCascadeTrajectories", "ArchiveCascadeTrajectory",
}

// absent answers for a method that the server's release lacks, or that is retired.
func (s *Server) absent(method string, errorWriter *connect.ErrorWriter, w http.ResponseWriter, r *http.Request) bool {
	cascade := slices.Contains(cascadeMethods, method)
	newer := []string{"ArchiveCascadeTrajectory", "GetCascadeTranscriptForTrajectoryId"}
	switch {
	case !s.cfg.Release.archives() && slices.Contains(newer, method),
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

// refuse answers permission_denied in the protocol of the request. The real text is not
// known: do not match on this one.
func refuse(errorWriter *connect.ErrorWriter, w http.ResponseWriter, r *http.Request) {
	//nolint:errcheck,gosec // a client that is gone needs no answer
	errorWriter.Write(w, r, connect.NewError(connect.CodePermissionDenied, errors.New("simulated refusal")))
}

// record records the call and its key before the response, so that it also sees a
// refused request with a key that it should not carry. It reports whether the request
// is complete.
func (s *Server) record(r *http.Request) (in request, ok bool) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return in, false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	method := path.Base(r.URL.Path)
	in = readRequest(method, r.Header.Get("Content-Type"), body)
	var around strings.Builder
	around.WriteString(r.RequestURI + "\n")
	_ = r.Header.Write(&around) // a builder never fails
	in.around = around.String()
	s.note(in.call(method), in, r.Header)
	return in, true
}

// note adds a call to the record.
func (s *Server) note(call Call, in request, header http.Header) {
	if s.cfg.Antigravity != "" {
		call.Violations = antigravityViolations(call, header)
	}
	s.calls.add(call, in)
}

// wait reports whether the time passed before the connection ended. It waits for
// nothing else: to the client even the end of the server must look like a lost
// connection, not like an empty response.
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
