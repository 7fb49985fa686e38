// Package kept keeps the last answer of a source that must not be asked often, for all
// processes of this computer: whoever comes next finds the answer, or why there was none,
// and one process asks at a time. It knows nothing of what is asked.
package kept

import (
	"context"
	"encoding/json"
	"time"

	"windsock/probe/say"
)

// Last is what is kept of a source. The file holds no secret and nothing personal: that is
// for the asker to see to.
type Last struct {
	// Asked is when the source was last asked, by this computer's clock.
	Asked time.Time `json:"asked,omitzero"`
	// Answer is the last one, reduced to its figures, and At when it came; nil for none.
	Answer json.RawMessage `json:"answer,omitempty"`
	At     time.Time       `json:"at,omitzero"`
	// Account is the hash of the answer's account; "" when unknown.
	Account string `json:"account,omitempty"`
	// Failed is why the last question had no answer; nil after an answer.
	Failed *Failure `json:"failed,omitempty"`
}

// Failure is why a question had no answer, as package say tells it.
type Failure struct {
	Code string `json:"code"`
	What string `json:"what"`
	Cure string `json:"cure,omitempty"`
	Exit int    `json:"exit,omitempty"`
	// Times is how often it failed in a row.
	Times int `json:"times"`
	// Until is when the source said that it may be asked again; zero if it did not.
	Until time.Time `json:"until,omitzero"`
	// Sign is a mark of the sign-in's file that was used, such as its time and size. A
	// failure that only another sign-in ends lasts until the mark changes.
	Sign string `json:"sign,omitempty"`
}

// Err is the failure as an error that package say tells; nil for nil.
func (f *Failure) Err() error {
	if f == nil {
		return nil
	}
	return &say.Error{Code: f.Code, What: f.What, Cure: f.Cure, Exit: f.Exit}
}

// Place is where the last answer of one source is kept.
type Place struct {
	// Dir is Windsock's state directory; Name is the source's, for the names of files.
	Dir, Name string
}

// Get returns what is kept, after it has asked the source if that is due. due and ask see
// what is kept; ask returns what is to be kept instead. While another process asks, Get
// waits for its result, until ctx ends.
func (p Place) Get(_ context.Context, due func(Last) bool, ask func(context.Context, Last) Last) (Last, error) {
	return Last{}, nil
}

// Read returns what is kept, without asking.
func (p Place) Read() Last { return Last{} }

// Forget removes what is kept.
func (p Place) Forget() error { return nil }
