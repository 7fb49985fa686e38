package cloud

import (
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

// Due reports whether a source may be asked now. reset is the first reset after which its
// kept figures mean nothing; zero for none.
func (s Source) Due(last kept.Last, why Why, reset, now time.Time) bool { return false }
