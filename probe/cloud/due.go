package cloud

import (
	"slices"
	"time"

	"windsock/probe/kept"
)

// Why is what has led to a question.
type Why int

// The reasons: the app's schedule, a command that runs once, a person who wants newer
// figures now.
const (
	WhyDue Why = iota
	WhyOnce
	WhyWanted
)

const (
	// never is the least time between two questions, whoever asks.
	never = 30 * time.Second
	// onceAge is how old an answer may be that a command shows.
	onceAge = 5 * time.Minute
	// afterReset is how long after a reset the service is given to know it.
	afterReset = time.Minute
	// refusedWait is the wait after a refusal: those that were seen to pass took as long.
	refusedWait = time.Hour
)

// rhythm is how often a product's service is asked.
type rhythm struct {
	// due is the age of an answer at which the app asks: a tenth less than the interval
	// that people are told, since the app's own schedule comes by now and then, with a
	// jitter of a tenth, and must not miss its turn.
	due time.Duration
	// wanted is the age at which a click asks.
	wanted time.Duration
	// first and last are the waits after a failure, which double in between.
	first, last time.Duration
}

func (s Source) rhythm() rhythm {
	if s.Product == cursor {
		return rhythm{due: 13*time.Minute + 30*time.Second, wanted: time.Minute, first: 5 * time.Minute, last: 6 * time.Hour}
	}
	return rhythm{due: 9 * time.Minute, wanted: 30 * time.Second, first: time.Minute, last: time.Hour}
}

// Due reports whether a source may be asked now. reset is the first reset after which its
// kept figures mean nothing; zero for none. It reads the mark of the sign-in's file after
// a failure that another sign-in ends, and nothing else.
func (s Source) Due(last kept.Last, why Why, reset, now time.Time) bool {
	since := now.Sub(last.Asked)
	if since < -time.Minute {
		// The clock was set back: when it was asked is not known. By less than a minute, it
		// was asked a short time ago.
		return true
	}
	if since < never {
		return false
	}
	if last.Failed != nil {
		return s.dueAgain(*last.Failed, last.Asked, why, now)
	}
	if turned := reset.Add(afterReset); !reset.IsZero() && last.At.Before(turned) && !now.Before(turned) {
		return true
	}
	return now.Sub(last.At) >= s.rhythm().age(why)
}

// age is how old an answer may become.
func (r rhythm) age(why Why) time.Duration {
	return map[Why]time.Duration{WhyDue: r.due, WhyOnce: onceAge, WhyWanted: r.wanted}[why]
}

// ofTheSignIn are the failures that another sign-in ends.
var ofTheSignIn = []Code{Rejected, WrongRegion, Expired, NoCredential, HostNotAllowed}

// dueAgain is Due after a failure.
func (s Source) dueAgain(failed kept.Failure, asked time.Time, why Why, now time.Time) bool {
	until := failed.Until
	if most := asked.Add(longestWait); until.After(most) {
		until = most
	}
	if now.Before(until) {
		return false
	}
	code := Code(failed.Code)
	changed := slices.Contains(ofTheSignIn, code) && s.Sign() != failed.Sign
	wait := s.rhythm().backOff(failed, why)
	switch {
	case changed && (code == Rejected || code == WrongRegion):
		// A program that runs writes its file all the time, with the same token in it.
		wait = s.rhythm().first
	case changed:
		return true // nothing leaves this computer before the sign-in is one to ask with
	case code == Rejected && why != WhyWanted:
		return false
	}
	if why == WhyWanted {
		wait = min(wait, s.rhythm().wanted)
	}
	return now.Sub(asked) >= wait
}

// backOff is the wait after a failure.
func (r rhythm) backOff(failed kept.Failure, why Why) time.Duration {
	code := Code(failed.Code)
	if code == Refused {
		return refusedWait
	}
	if code == Offline || code == TLS {
		// It is the network that failed, and a person may mend it at any moment. The
		// service need not be spared more than when it answers.
		r.first, r.last = time.Minute, r.age(why)
	}
	wait := r.first
	for range min(failed.Times, 30) - 1 {
		wait = min(2*wait, r.last)
	}
	return wait
}
