// Package kept keeps the last answer of a source that must not be asked often, for all
// processes of this computer: whoever comes next finds the answer, or why there was none,
// and one process asks at a time. It knows nothing of what is asked.
package kept

import (
	"encoding/json"
	"errors"
	"time"

	"windsock/probe/say"
)

// Last is what is kept of a source. The file holds no secret and nothing personal: that is
// for the asker to see to.
type Last struct {
	// Asked is when the source was last asked, by this computer's clock. It is noted before
	// the question, so that one whose process has died counts, too.
	Asked time.Time `json:"asked,omitzero"`
	// Answer is the last one, reduced to its figures, and At when it was asked for; nil and
	// zero for none.
	Answer json.RawMessage `json:"answer,omitempty"`
	At     time.Time       `json:"at,omitzero"`
	// Account is the hash of the answer's account; "" when unknown.
	Account string `json:"account,omitempty"`
	// Failed is why the last question had no answer; nil after an answer, and when the
	// source was never asked.
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

// Answered is what is to be kept after an answer to the question of l.Asked.
func (l Last) Answered(answer json.RawMessage, account string) Last {
	return Last{Asked: l.Asked, Answer: answer, At: l.Asked, Account: account}
}

// Failing is what is to be kept after the question of l.Asked has failed: the older answer
// stays. Of err it keeps what package say tells, never its text. Until and Sign are for the
// caller to set.
func (l Last) Failing(err error) Last {
	f := Failure{Times: 1}
	if t, ok := errors.AsType[say.Teller](err); ok {
		told := t.Tell()
		f.Code, f.What, f.Cure, f.Exit = told.Code, told.What, told.Cure, told.Exit
	}
	if l.Failed != nil {
		f.Times += l.Failed.Times
	}
	l.Failed = &f
	return l
}

// usable is what of a file can be used at a time. What lies in the future, after the clock
// was set back, has no known age and counts as missing.
func (l Last) usable(now time.Time) Last {
	latest := now.Add(aheadAtMost)
	if l.Asked.After(latest) {
		l.Asked, l.Failed = time.Time{}, nil
	}
	if len(l.Answer) == 0 || string(l.Answer) == "null" || l.At.IsZero() || l.At.After(latest) {
		l.Answer, l.At, l.Account = nil, time.Time{}, ""
	}
	return l
}

// aheadAtMost is how far a time may be in the future; the clock may have been set since.
const aheadAtMost = time.Minute
