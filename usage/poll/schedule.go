package poll

import "time"

const (
	// refreshSpacing is the least time between a fetch and one on demand.
	refreshSpacing = 5 * time.Second
	// promptDelay is how long a prompt's cost takes to appear.
	promptDelay = 30 * time.Second
	// resetDelay gives the server time to notice a reset. It is time of the wall clock:
	// in a time-lapse the server's clock is as fast.
	resetDelay = 5 * time.Second
	// cloudResetDelay gives a cloud more: it is asked again only when a reset is more
	// than a minute over.
	cloudResetDelay = time.Minute + resetDelay
	// resetSpacing limits fetches from a server whose resets are always near. A shorter
	// interval replaces it.
	resetSpacing = time.Minute
	// wakeDelay gives the network time to come back.
	wakeDelay = 5 * time.Second
	// slowest is the longest successful fetch: 12 s for finding a server and for its
	// answer, then the recording.
	slowest = 15 * time.Second
)

// schedule decides when a fetch is due. Its times are times awake; it reads no clock.
type schedule struct {
	interval time.Duration
	// random returns a number from 0 to 1.
	random func() float64

	// regular and prompt are when those fetches are due. paced says that regular
	// follows from the interval, and not from a failure or a wake.
	regular, prompt time.Duration
	paced           bool
	refresh         bool
	// rest is when the first fetch after a wake may begin. A fetch that was running
	// then is repeated.
	rest  time.Duration
	again bool

	fetching bool
	// begun is when the last fetch began, resetFor when the last fetch for a reset did;
	// at first both are in the past.
	begun, resetFor time.Duration
	// ended is when the last successful fetch ended.
	ended time.Duration
	// failures counts failures of one kind in a row.
	failures int
	kind     failureKind
}

func newSchedule(interval time.Duration, random func() float64) schedule {
	return schedule{
		interval: interval, random: random, prompt: never,
		begun: -refreshSpacing, resetFor: -resetSpacing,
	}
}

// due is when the next fetch begins. reset is when a fetch for a reset is due.
func (s *schedule) due(reset time.Duration) time.Duration {
	if s.refresh {
		return s.begun
	}
	spaced := s.resetFor + min(resetSpacing, s.interval)
	return max(s.rest, min(s.regular, s.prompt, max(reset, spaced)))
}

// begin records the beginning of a fetch, which covers all that is due.
func (s *schedule) begin(now, reset time.Duration) {
	if reset <= now {
		s.resetFor = now
	}
	if s.prompt <= now {
		s.prompt = never
	}
	s.fetching, s.refresh, s.again, s.paced = true, false, false, false
	s.regular, s.begun = never, now
}

// end records the end of a fetch; failed is "" after a success.
func (s *schedule) end(now time.Duration, failed failureKind) {
	s.fetching = false
	switch {
	case s.again:
		s.regular, s.failures = s.rest, 0
	case failed == "":
		s.regular, s.ended, s.paced, s.failures = now+s.jittered(), now, true, 0
	default:
		if failed != s.kind {
			s.kind, s.failures = failed, 0
		}
		s.failures++
		s.regular = now + s.kind.backOff(s.failures)
	}
}

// wake records a wake from sleep.
func (s *schedule) wake(now time.Duration) {
	s.rest = now + wakeDelay
	s.anew()
}

// anew makes a fetch due as soon as one may begin. A running fetch does not count.
func (s *schedule) anew() {
	s.regular, s.paced, s.failures, s.again = s.rest, false, 0, s.fetching
}

// setInterval changes the interval.
func (s *schedule) setInterval(interval time.Duration) {
	s.interval = interval
	if s.paced {
		s.regular = s.ended + s.jittered()
	}
}

// refreshIn is how long a refresh has to wait.
func (s *schedule) refreshIn(now time.Duration) time.Duration {
	if s.fetching {
		return 0
	}
	return max(0, s.begun+refreshSpacing-now)
}

// jittered is the interval, give or take a tenth.
func (s *schedule) jittered() time.Duration {
	return time.Duration(float64(s.interval) * (0.9 + 0.2*s.random()))
}

// lifetime is how long figures stay fresh: two intervals. A short interval adds the
// time of a fetch, so that the display does not flicker, except a demo's, which is
// shorter than any that a person can choose: its server is quick.
func (s *schedule) lifetime() time.Duration {
	if s.interval < MinWatchInterval {
		return 2 * s.interval
	}
	return max(2*s.interval, s.interval+s.interval/10+slowest)
}
