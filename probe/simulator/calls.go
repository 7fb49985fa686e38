package simulator

import "sync"

// A Call is one request that came in, refused ones included.
type Call struct {
	// RPC is the method's name; "lsp" stands for whatever was sent to the port
	// that is not the RPC port.
	RPC string `json:"rpc"`
	// Key is the API key that the request carried.
	Key string `json:"key,omitempty"`
	// RequestID is the metadata's request_id; 0 for none.
	RequestID uint64 `json:"request_id,omitempty"`
	// CascadeID is the cascade that the request names. Prompt and Model are what
	// a message says and whom it is for, and Archived is the mark that is to be
	// set.
	CascadeID string `json:"cascade_id,omitempty"`
	Prompt    string `json:"prompt,omitempty"`
	Model     string `json:"model,omitempty"`
	Archived  bool   `json:"archived,omitempty"`
	// Violations are what a client must not do, and has done with this request;
	// see violation.go.
	Violations []string `json:"violations,omitempty"`
}

// calls is the record of what came in, in order.
type calls struct {
	onCall func(Call) // called with each call before it is answered; may be nil

	mu  sync.Mutex // guards the rest
	all []Call
	saw watch
}

// add records a call. Raw is all that the request was made of.
func (c *calls) add(call Call, raw request) {
	c.mu.Lock()
	call.Violations = append(call.Violations, c.saw.violations(call, raw)...)
	c.all = append(c.all, call)
	c.mu.Unlock()
	if c.onCall != nil {
		c.onCall(call)
	}
}

func (c *calls) list() []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Call(nil), c.all...)
}

// A callLog answers questions about the calls to a server.
type callLog struct {
	// Calls returns what came in so far, in order.
	Calls func() []Call
}

// Count returns how often each RPC was called so far, refused calls included.
func (l callLog) Count() map[string]int {
	n := map[string]int{}
	for _, call := range l.Calls() {
		n[call.RPC]++
	}
	return n
}

// Keys returns the API keys that came in so far, with whatever request, in
// order and with repetitions.
func (l callLog) Keys() []string {
	var found []string
	for _, call := range l.Calls() {
		if call.Key != "" {
			found = append(found, call.Key)
		}
	}
	return found
}

// Violations returns what clients have done that they must not do, each with the
// method's name.
func (l callLog) Violations() []string {
	var found []string
	for _, call := range l.Calls() {
		for _, violation := range call.Violations {
			found = append(found, call.RPC+": "+violation)
		}
	}
	return found
}
