package cloud

import (
	"bytes"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
)

// A Request is one request to a host, whatever became of it.
type Request struct {
	Host string
	// Method is the last part of the path, such as GetPlanStatus.
	Method string
	// Token is the one that the request carried, wherever it stood.
	Token string
	// Sent is all that was sent: the first line, the headers, and the body.
	Sent string
	// Violations are what the client must not do. See violations.
	Violations []string
}

// maxRequest is far above any real request.
const maxRequest = 1 << 20

// incoming is a request that was read.
type incoming struct {
	*http.Request

	body  string
	token string
	maker maker
}

// serve is every host.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return // the client is gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body)) // for Config.Answer
	in := incoming{Request: r, body: string(body), maker: makerOf(r.Host)}
	in.token = in.maker.token(in)
	s.note(in)
	method := path.Base(r.URL.Path)
	if !wait(r.Context(), s.cfg.Delay) || s.fails(s.current(method), w, r) {
		return
	}
	switch {
	case s.cfg.Answer != nil && s.cfg.Answer(w, r):
	case in.maker.answer == nil:
		notFound(w)
	default:
		in.maker.answer(s, &teller{w, func(answer []byte) {
			if s.cfg.Told != nil {
				s.cfg.Told(in.token, method, answer)
			}
		}}, in)
	}
}

// A teller tells of an answer, which is written at once, before it is sent.
type teller struct {
	http.ResponseWriter

	tell func(answer []byte)
}

func (t *teller) Write(answer []byte) (int, error) {
	t.tell(answer)
	return t.ResponseWriter.Write(answer)
}

// note keeps a request.
func (s *Server) note(in incoming) {
	var sent strings.Builder
	sent.WriteString(in.Method + " " + in.RequestURI + "\n")
	_ = in.Header.Write(&sent) // a builder never fails
	sent.WriteString("\n" + in.body)
	known, there := s.account(in.token)
	request := Request{
		Host: in.Host, Method: path.Base(in.URL.Path), Token: in.token, Sent: sent.String(),
		Violations: in.violations(there && !known.at(in.Host)),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
}

// violations are:
//
//   - a header that the call does not need, a cookie above all;
//   - the name of another program as the user agent;
//   - a token in more than one place, or a token at a host that no maker has;
//   - a token at a host that does not know its account (stray).
func (in incoming) violations(stray bool) []string {
	var found []string
	for name := range in.Header {
		if !slices.Contains(in.maker.headers, name) {
			found = append(found, "header "+name)
		}
	}
	slices.Sort(found)
	if !strings.HasPrefix(in.UserAgent(), "windsock/") {
		found = append(found, "user agent "+in.UserAgent())
	}
	if in.token == "" {
		return found
	}
	places := strings.Count(in.RequestURI, in.token) + strings.Count(in.body, in.token)
	for _, values := range in.Header {
		places += strings.Count(strings.Join(values, " "), in.token)
	}
	if places > 1 {
		found = append(found, "a token in several places")
	}
	switch {
	case in.maker.answer == nil:
		found = append(found, "a token at a foreign host")
	case stray:
		found = append(found, "a token at another account's host")
	}
	return found
}
