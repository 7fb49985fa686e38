package window

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"

	"windsock/chat"
	"windsock/probe/loopback"
	"windsock/probe/say"
)

// failure is an error in JSON.
type failure struct {
	Code     string `json:"code"`
	Sentence string `json:"sentence"`
}

func fail(w http.ResponseWriter, status int, code, sentence string) {
	write(w, status, map[string]failure{"error": {code, sentence}})
}

// failWith answers with an error, worded by the error itself.
func failWith(w http.ResponseWriter, status int, err error) {
	f := failureOf(err)
	fail(w, status, f.Code, f.Sentence)
}

// failureOf words an error by its Tell. Error would be wrong: it is for logs.
func failureOf(err error) failure {
	return failure{cmp.Or(say.Code(err), "failed"), say.Sentence(err, "That did not work.")}
}

func write(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) //nolint:errchkjson // plain values; and who does not listen is not told
}

const (
	// maxBody is the size limit of a request; a prompt's text is longer in JSON.
	maxBody = 2 << 20
	// maxAsk is that of a prompt, whose images are a third longer in base64.
	maxAsk = maxBody + (chat.MaxImageBytes+2)/3*4
	// maxHanded limits the state that a page hands over to its successor: as much as is
	// stored of the page's events.
	maxHanded = maxEventBytes
	// maxEntry is the limit for a ticket.
	maxEntry = 1 << 10
)

// read reads a request's JSON into a value, or answers with the error.
func (s *served) read(w http.ResponseWriter, r *http.Request, into any) bool {
	body, ok := s.body(w, r, maxBody)
	return ok && parse(w, body, into)
}

func parse(w http.ResponseWriter, body []byte, into any) bool {
	if err := json.Unmarshal(body, into); err != nil {
		fail(w, http.StatusBadRequest, "bad_request", "The page sent something that cannot be read.")
		return false
	}
	return true
}

func (s *served) body(w http.ResponseWriter, r *http.Request, most int64) ([]byte, bool) {
	body, err := loopback.ReadBody(w, r, most, s.times.body)
	switch {
	case err == nil:
		return body, true
	case errors.Is(err, loopback.ErrBodyTooLarge):
		fail(w, http.StatusRequestEntityTooLarge, "too_large", "That is more than Windsock takes.")
	case errors.Is(err, loopback.ErrBodyTooSlow):
		fail(w, http.StatusRequestTimeout, "too_slow", "That came too slowly.")
	default:
		fail(w, http.StatusBadRequest, "bad_request", "The page sent something that cannot be read.")
	}
	return nil, false
}
