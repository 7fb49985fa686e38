package simulator

import "sync"

// A Call is one request to the server, including refused ones.
type Call struct {
	// RPC is the method's name; "lsp" stands for anything sent to the port that is not
	// the RPC port.
	RPC string `json:"rpc"`
	// Key is the API key that the request carried.
	Key string `json:"key,omitempty"`
	// RequestID is the metadata's request_id; 0 for none.
	RequestID uint64 `json:"request_id,omitempty"`
	// CascadeID is the cascade of the request. Prompt and Model are a message's text
	// and model. Archived is the mark to be set.
	CascadeID string `json:"cascade_id,omitempty"`
	Prompt    string `json:"prompt,omitempty"`
	Model     string `json:"model,omitempty"`
	// Images is how many images came with a message.
	Images   int  `json:"images,omitempty"`
	Archived bool `json:"archived,omitempty"`
	// Violations are what the client did wrong in this request; see violation.go.
	Violations []string `json:"violations,omitempty"`
}

// calls is the record of requests, in order.
type calls struct {
	onCall func(Call) // called with each call before it is answered; may be nil

	mu  sync.Mutex // guards the rest
	all []Call
	saw watch
}

// add records a call. raw is the whole request.
func (c *calls) add(call Call, raw request) {
	c.mu.Lock()
	call.Violations = append(call.Violations, c.saw.violations(call, raw)...)
	c.all = append(c.all, call)
	c.mu.Unlock()
	if c.onCall != nil {
		c.onCall(call)
	}
}

// answered says that a request has its answer.
func (c *calls) answered(raw request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saw.answer(raw.metadata)
}

func (c *calls) list() []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Call(nil), c.all...)
}

// A callLog answers questions about the calls to a server.
type callLog struct {
	// Calls returns the calls so far, in order.
	Calls func() []Call
}

// Count returns the number of calls of each RPC so far, including refused ones.
func (l callLog) Count() map[string]int {
	n := map[string]int{}
	for _, call := range l.Calls() {
		n[call.RPC]++
	}
	return n
}

// Keys returns the API keys of all requests so far, in order and with repetitions.
func (l callLog) Keys() []string {
	var found []string
	for _, call := range l.Calls() {
		if call.Key != "" {
			found = append(found, call.Key)
		}
	}
	return found
}

// Violations returns what clients did wrong, each with the method's name.
func (l callLog) Violations() []string {
	var found []string
	for _, call := range l.Calls() {
		for _, violation := range call.Violations {
			found = append(found, call.RPC+": "+violation)
		}
	}
	return found
}
