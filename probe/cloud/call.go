package cloud

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"

	"github.com/tidwall/gjson"

	"windsock/probe/jsoncheck"
)

// refusal is an error in Connect's form: what a service says of why it does not answer.
type refusal struct{ code, message string }

// call posts one JSON message, or gets without one, and returns the answer: a JSON object.
// authorize puts the token into a header, unless it stands in the message.
func (s *service) call(ctx context.Context, procedure string, message []byte, authorize func(http.Header)) ([]byte, *Failure) {
	method, body := http.MethodGet, io.Reader(nil)
	if message != nil {
		method, body = http.MethodPost, bytes.NewReader(message)
	}
	request, err := http.NewRequestWithContext(ctx, method, "https://"+s.host+prefix(s.host)+procedure, body)
	if err != nil {
		return nil, s.failed(BadResponse, "", nil)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "windsock/"+s.version)
	if message != nil {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Connect-Protocol-Version", "1")
	}
	authorize(request.Header)
	response, err := s.http.Do(request)
	if err != nil {
		return nil, s.noAnswer(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	whole := err == nil && len(answer) <= maxAnswer
	object := whole && jsoncheck.Valid(answer) && gjson.ParseBytes(answer).IsObject()
	var said refusal
	if object {
		said = refusalOf(answer)
	}
	status := response.StatusCode
	if status == http.StatusOK && said.code != "" {
		status = statusOf(said.code)
	}
	failure := s.judge(status, said, response.Header, path.Base(procedure))
	switch {
	case failure != nil:
		return nil, failure
	case err != nil:
		return nil, s.noAnswer(err)
	case !whole:
		return nil, s.failed(BadResponse, "it is longer than any that is known", nil)
	case !object:
		return nil, s.failed(BadResponse, "it is no JSON, but perhaps the page of a Wi-Fi or of a company", nil)
	default:
		return answer, nil
	}
}

// refusalOf reads an error in Connect's form; empty if the answer is something else.
func refusalOf(answer []byte) refusal {
	fields := gjson.GetManyBytes(answer, "code", "message")
	if fields[0].Type != gjson.String || statusOf(fields[0].Str) == 0 {
		return refusal{}
	}
	return refusal{code: fields[0].Str, message: fields[1].String()}
}

// statusOf is the HTTP status of a code of Connect; 0 for a word that is none. Source:
// connectrpc.com/docs/protocol#error-codes.
func statusOf(code string) int {
	switch code {
	case "unauthenticated":
		return http.StatusUnauthorized
	case "permission_denied":
		return http.StatusForbidden
	case "not_found":
		return http.StatusNotFound
	case "unimplemented":
		return http.StatusNotImplemented
	case "resource_exhausted":
		return http.StatusTooManyRequests
	case "unavailable":
		return http.StatusServiceUnavailable
	case "deadline_exceeded":
		return http.StatusGatewayTimeout
	case "internal", "unknown", "data_loss":
		return http.StatusInternalServerError
	case "aborted", "already_exists":
		return http.StatusConflict
	case "invalid_argument", "failed_precondition", "out_of_range", "canceled":
		return http.StatusBadRequest
	default:
		return 0
	}
}

// judge is what a status means; nil for an answer (PROTOCOL.md 9.4, 10.4). Only what the
// service itself says, in Connect's form, can end a sign-in or refuse an account: a
// company's proxy answers 401 and 403 as well.
func (s *service) judge(status int, said refusal, header http.Header, method string) *Failure {
	cause := errors.New(strings.TrimSpace(fmt.Sprintf("%s: HTTP %d %s", method, status, said.code)))
	message := strings.ToLower(said.message)
	switch {
	case status == http.StatusOK:
		return nil
	case status == http.StatusUnauthorized && said.code == "unauthenticated" && !strings.Contains(message, "bad authorization header"):
		return s.failed(Rejected, "", cause)
	case status == http.StatusForbidden && said.code == "permission_denied":
		return s.failed(Refused, refusalClass(message), cause)
	case status == http.StatusNotFound, status == http.StatusNotImplemented:
		return s.failed(Unsupported, "", cause)
	case status == http.StatusTooManyRequests:
		f := s.failed(RateLimited, "", cause)
		f.RetryAfter = retryAfter(header, s.now())
		return f
	case status == http.StatusProxyAuthRequired:
		return s.proxyRefused("that stands between", status, cause)
	case status == http.StatusInternalServerError && strings.Contains(message, "failed to validate devin token"):
		return s.failed(WrongRegion, "", cause)
	case status >= http.StatusInternalServerError:
		f := s.failed(ServerError, fmt.Sprintf("HTTP %d", status), cause)
		f.RetryAfter = retryAfter(header, s.now())
		return f
	case status >= http.StatusMultipleChoices && status < http.StatusBadRequest:
		return s.failed(BadResponse, "it leads to another address, which Windsock does not follow", cause)
	default:
		return s.failed(BadResponse, fmt.Sprintf("HTTP %d", status), cause)
	}
}

// refusalClass says why an account is refused, if that is one of the known reasons; the
// message itself is not passed on. It is in lower case.
func refusalClass(message string) string {
	switch {
	case strings.Contains(message, "subscription has been cancel"):
		return "it says that the subscription has ended"
	case strings.Contains(message, "disabled by team"):
		return "it says that the team has switched this seat off"
	default:
		return ""
	}
}
