package simulator

import (
	"encoding/json"
	"mime"
	"net/http"
	"path"
	"time"

	"connectrpc.com/connect"
)

// antigravity does all the work of Antigravity's two RPC ports, in the order of handler,
// but it records what it refuses to read, too. It speaks Connect's unary JSON only: no
// other client of quotas speaks anything else.
func (s *Server) antigravity() http.Handler {
	errorWriter := connect.NewErrorWriter()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /exa.language_server_pb.LanguageServerService/{method}", func(w http.ResponseWriter, r *http.Request) {
		if _, ok := s.record(r); !ok {
			return // the client disconnected in the middle of its request
		}
		if mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); mediaType != "application/json" {
			w.Header().Set("Accept-Post", "application/json")
			w.WriteHeader(http.StatusUnsupportedMediaType)
			return
		}
		tells, fault := s.current()
		method := path.Base(r.URL.Path)
		if fault == FaultSlowStart && !wait(r.Context(), s.cfg.SlowStart-time.Since(s.up)) {
			return
		}
		if (s.cfg.DelayRPC == "" || s.cfg.DelayRPC == method) && !wait(r.Context(), s.cfg.Delay) {
			return
		}
		switch token := r.Header.Get(tokenHeader); {
		case token == "":
			writeError(w, http.StatusUnauthorized, "unauthenticated", "missing CSRF token")
			return
		case fault == FaultWrongToken, token != s.cfg.Token:
			writeError(w, http.StatusForbidden, "permission_denied", "Invalid CSRF token")
			return
		case method == s.cfg.FaultRPC && (fail(fault, errorWriter, w, r) || failAntigravity(fault, w, r)):
			return
		}
		signedOut := !tells.antigravity.SignedIn() || fault == FaultNotLoggedIn ||
			fault == FaultNotReady && time.Since(s.up) < s.cfg.SlowStart
		s.answerAntigravity(w, r, method, signedOut)
		if method == s.cfg.FaultRPC && fault == FaultResetAfter {
			reset(r.Context())
		}
	})
	return mux
}

// answerAntigravity calls the method.
func (s *Server) answerAntigravity(w http.ResponseWriter, r *http.Request, method string, signedOut bool) {
	tells, _ := s.current()
	switch {
	case method == methodProbe:
		writeJSON(w, http.StatusOK, map[string]any{"context": map[string]any{
			"sessionId": "5f2c9d0e-0000-4000-8000-73696d756c61", "properties": map[string]string{"ide": "antigravity"},
		}})
	case method == methodStatus && signedOut, method == methodSummary && s.cfg.Antigravity != AntigravityIDE && signedOut:
		writeError(w, http.StatusInternalServerError, "internal", "error getting token source: You are not logged into Antigravity.")
	case method == methodStatus:
		s.answerFigures(w, userStatus(tells.antigravity, s.clock(), s.cfg.Account))
	case method == methodSummary && s.cfg.Antigravity != AntigravityIDE:
		s.answerFigures(w, quotaSummary(tells.antigravity, s.clock()))
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) answerFigures(w http.ResponseWriter, answer fields) {
	s.tellFields(answer)
	writeJSON(w, http.StatusOK, answer)
}

// failAntigravity simulates a fault that only Antigravity has. It returns false if the
// method has to answer.
func failAntigravity(fault Fault, w http.ResponseWriter, r *http.Request) bool {
	switch fault {
	case FaultErrorIn200:
		writeJSON(w, http.StatusOK, map[string]int{"code": 16})
	case FaultNoMethod:
		http.NotFound(w, r)
	default:
		return false
	}
	return true
}

// writeError writes an error in Connect form.
func writeError(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]string{"code": code, "message": message})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	write(w, text)
}
