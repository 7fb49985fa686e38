package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"windsock/chat"
	"windsock/probe/loopback"
	"windsock/probe/say"
)

// fault is an error in the form of OpenAI's API.
type fault struct {
	status int
	kind   string // OpenAI's type of error
	code   string
	param  string // of the request; may be empty
	says   string
	wait   time.Duration // until a retry makes sense; zero is unknown
	reset  time.Time     // when the quota returns; zero is unknown
	// final is set if the request must not be retried automatically: it would fail
	// again, or be paid for twice.
	final bool
	// text is the final answer, if it differs from what was streamed.
	text string
}

func (f *fault) Error() string { return f.code }

// OpenAI's types of errors.
const (
	invalidRequest = "invalid_request_error"
	serverError    = "server_error"
	// finalError is the type of a final serverError: programs retry on server_error
	// (Continue does, also in a stream).
	finalError = "api_error"
)

// bad rejects a request that makes no sense here.
func bad(param, format string, args ...any) *fault {
	return &fault{status: http.StatusBadRequest, kind: invalidRequest, code: "invalid_value", param: param, says: fmt.Sprintf(format, args...), final: true}
}

func refused(why loopback.Refusal) *fault {
	return &fault{status: http.StatusForbidden, kind: invalidRequest, code: string(why), says: why.Sentence(), final: true}
}

// wrongKey rejects a request without the key.
func (s *Server) wrongKey() *fault {
	says := "The key is missing or wrong. `windsock serve --print-env` prints the right one."
	if s.ShowKey {
		says = "The key is missing or wrong. The right one stands where it is served."
	}
	return &fault{status: http.StatusUnauthorized, kind: invalidRequest, code: "invalid_api_key", says: says, final: true}
}

var (
	errStopping = errors.New("the local API is being switched off")

	errTooMany = &fault{
		status: http.StatusTooManyRequests, kind: "rate_limit_error", code: "concurrency_limit", wait: busyWait,
		says: "As many answers as are allowed are under way, and there was no turn for this one. Try again in a moment, or allow more with --concurrency.",
	}
	errTooLarge = &fault{
		status: http.StatusTooManyRequests, kind: "rate_limit_error", code: "requests_too_large", wait: busyWait,
		says: "The requests under way are too large together. Try again in a moment.",
	}
	errEnding = &fault{
		status: http.StatusServiceUnavailable, kind: serverError, code: "stopping", final: true,
		says: "The local API is being switched off.",
	}
	// errGone is for a client that no longer waits; only its status is written.
	errGone   = &fault{status: statusGone, code: "client_gone"}
	errBroken = &fault{status: http.StatusInternalServerError, kind: serverError, code: "internal_error", says: "Windsock made a mistake with this request.", final: true}
)

// statusGone is the status in servers' logs for a client that has left.
const statusGone = 499

const (
	// busyWait is for what may soon be over, startWait for what a person has to do
	// first.
	busyWait  = time.Second
	startWait = 5 * time.Second
	// maxWait is the longest wait of OpenAI's libraries before a retry.
	maxWait = time.Minute
)

// meanings maps all codes of packages probe and chat. A failure after which a model
// may have the prompt is final, since a client that retries automatically would pay
// again.
var meanings = map[string]fault{
	"not_running":   {status: http.StatusServiceUnavailable, kind: serverError, wait: startWait},
	"no_token":      {status: http.StatusServiceUnavailable, kind: serverError, wait: startWait},
	"no_port":       {status: http.StatusServiceUnavailable, kind: serverError, wait: startWait},
	"rejected":      {status: http.StatusServiceUnavailable, kind: serverError, wait: startWait, final: true},
	"not_signed_in": {status: http.StatusServiceUnavailable, kind: serverError, wait: startWait, final: true},
	"bad_response":  {status: http.StatusBadGateway, kind: serverError, final: true},
	"bad_payload":   {status: http.StatusBadGateway, kind: serverError, final: true},
	"no_models":     {status: http.StatusServiceUnavailable, kind: serverError, wait: startWait, final: true},

	string(chat.UnknownModel):     {status: http.StatusNotFound, kind: invalidRequest, final: true},
	string(chat.AmbiguousModel):   {status: http.StatusBadRequest, kind: invalidRequest, final: true},
	string(chat.DisabledModel):    {status: http.StatusForbidden, kind: invalidRequest, final: true},
	string(chat.NoImages):         {status: http.StatusBadRequest, kind: invalidRequest, final: true},
	string(chat.NotInPlan):        {status: http.StatusForbidden, kind: invalidRequest, final: true},
	string(chat.QuotaExhausted):   {status: http.StatusTooManyRequests, kind: "insufficient_quota", final: true},
	string(chat.RateLimited):      {status: http.StatusTooManyRequests, kind: "rate_limit_error"},
	string(chat.Outdated):         {status: http.StatusServiceUnavailable, kind: serverError, final: true},
	string(chat.Busy):             {status: http.StatusServiceUnavailable, kind: serverError, wait: busyWait, final: true},
	string(chat.CascadeOff):       {status: http.StatusNotImplemented, kind: serverError, final: true},
	string(chat.ServerGone):       {status: http.StatusBadGateway, kind: serverError, final: true},
	string(chat.TimedOut):         {status: http.StatusGatewayTimeout, kind: serverError, final: true},
	string(chat.TurnFailed):       {status: http.StatusBadGateway, kind: serverError, final: true},
	string(chat.NeedsPerson):      {status: http.StatusForbidden, kind: invalidRequest, final: true},
	string(chat.ConversationGone): {status: http.StatusGone, kind: invalidRequest, final: true},
	string(chat.NoSpend):          {status: http.StatusNotImplemented, kind: serverError, final: true},
	string(chat.NoArchive):        {status: http.StatusNotImplemented, kind: serverError, final: true},
	string(chat.AgentMissing):     {status: http.StatusServiceUnavailable, kind: serverError, wait: startWait, final: true},
	string(chat.AgentUnsafe):      {status: http.StatusForbidden, kind: invalidRequest, final: true},
	string(chat.AgentTooNew):      {status: http.StatusNotImplemented, kind: serverError, final: true},
	string(chat.NoACP):            {status: http.StatusNotImplemented, kind: serverError, final: true},
	string(chat.AgentActs):        {status: http.StatusForbidden, kind: invalidRequest, final: true},
}

// faultOf maps the error of a request; sent says whether a prompt may have left.
func faultOf(ctx context.Context, err error, sent bool) *fault {
	if known, ok := errors.AsType[*fault](err); ok {
		return known
	}
	if errors.Is(context.Cause(ctx), errStopping) {
		return errEnding
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return errGone
	}
	code := say.Code(err)
	f, known := meanings[code]
	if !known {
		f = fault{status: http.StatusBadGateway, kind: serverError}
	}
	f.code, f.says = cmp.Or(code, "failed"), say.Sentence(err, "The editor's server could not answer.")
	f.final = f.final || sent
	if f.code == string(chat.UnknownModel) {
		f.code, f.param = "model_not_found", "model"
	}
	if failure, ok := errors.AsType[*chat.Failure](err); ok && failure.Wait > 0 {
		f.wait = failure.Wait
	}
	if f.wait > maxWait { // a client would not wait that long, and retry too early
		f.final = true
	}
	return &f
}

// until adds when the quota returns, if the failure knows.
func (f *fault) until(why *chat.Failure, now time.Time) {
	if !why.BackAt.After(now) {
		return
	}
	f.reset = why.BackAt
	if why.Back == "" {
		f.says += " It resets at " + f.reset.UTC().Format(time.RFC3339) + "."
	}
	if f.wait == 0 {
		f.wait = f.reset.Sub(now)
	}
}

// faultBody is the error on the wire.
type faultBody struct {
	Message  string     `json:"message"`
	Type     string     `json:"type"`
	Param    *string    `json:"param"`
	Code     string     `json:"code"`
	ResetsAt *time.Time `json:"resets_at,omitempty"`
	Text     string     `json:"final_text,omitempty"`
}

func (f *fault) body() []byte {
	b := faultBody{Message: f.says, Type: f.kind, Code: f.code, Text: f.text}
	if f.final && f.kind == serverError {
		b.Type = finalError
	}
	if f.param != "" {
		b.Param = &f.param
	}
	if !f.reset.IsZero() {
		at := f.reset.UTC().Truncate(time.Second)
		b.ResetsAt = &at
	}
	text, _ := json.Marshal(map[string]faultBody{"error": b}) //nolint:errchkjson // texts and a time
	return text
}

// write answers with the error. OpenAI's own libraries heed x-should-retry.
func (f *fault) write(w http.ResponseWriter) {
	if f.status == statusGone {
		note(w, f.code)
		w.WriteHeader(statusGone) // else it is 200 for a client that closed only its own side
		return
	}
	header := w.Header()
	if f.wait > 0 {
		header.Set("Retry-After", strconv.Itoa(int(math.Ceil(f.wait.Seconds()))))
	}
	if f.final {
		header.Set("X-Should-Retry", "false")
	}
	if f.status == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", "Bearer")
	}
	note(w, f.code)
	writeJSON(w, f.status, f.body())
}
