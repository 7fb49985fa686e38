package poll

import "time"

const (
	// refreshSpacing is the least time between a fetch and one on demand.
	refreshSpacing = 5 * time.Second
	// promptDelay is how long a prompt's cost takes to show.
	promptDelay = 30 * time.Second
	// resetDelay lets the server be the first to know of a reset. It is time
	// of the wall clock: in a time-lapse the server's runs as fast.
	resetDelay = 5 * time.Second
	// resetSpacing keeps a server whose resets are always near from being
	// asked without a pause. A shorter interval takes its place.
	resetSpacing = time.Minute
	// wakeDelay lets the network come back.
	wakeDelay = 5 * time.Second
	// slowest is what a fetch that brings figures may take: looking for a server and
	// its answer 12 s, and then they are recorded.
	slowest = 15 * time.Second
)

// schedule says when a fetch is due. Its times are times awake; it looks at no
// clock.
type schedule struct {
	interval time.Duration
	// random is a number from 0 to 1.
	random func() float64

	// regular and prompt are when those fetches are due. paced says that regular
	// is so by the interval, and not because of a failure or a wake.
	regular, prompt time.Duration
	paced           bool
	refresh         bool
	// rest is when the first fetch after a wake may begin. One that was under
	// way then is made again.
	rest  time.Duration
	again bool

	fetching bool
	// begun is when the last fetch began, resetFor when the last one for a
	// reset did; both are before all time at first.
	begun, resetFor time.Duration
	// failures is how many of one kind there were in a row.
	failures int
	kind     failureKind
}

func newSchedule(interval time.Duration, random func() float64) schedule {
	return schedule{
		interval: interval, random: random, prompt: never,
		begun: -refreshSpacing, resetFor: -resetSpacing,
	}
}

// due is when the next fetch begins. reset is when one for a reset is due.
func (s *schedule) due(reset time.Duration) time.Duration {
	if s.refresh {
		return s.begun
	}
	spaced := s.resetFor + min(resetSpacing, s.interval)
	return max(s.rest, min(s.regular, s.prompt, max(reset, spaced)))
}

// begin is the beginning of a fetch, which is one for all that is due.
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

// end is the end of a fetch.
func (s *schedule) end(now time.Duration, err error) {
	s.fetching = false
	switch {
	case s.again:
		s.regular, s.failures = s.rest, 0
	case err == nil:
		s.regular, s.paced, s.failures = now+s.jittered(), true, 0
	default:
		if kind := kindOf(err); kind != s.kind {
			s.kind, s.failures = kind, 0
		}
		s.failures++
		s.regular = now + s.kind.backOff(s.failures)
	}
}

// wake is a wake from sleep.
func (s *schedule) wake(now time.Duration) {
	s.rest = now + wakeDelay
	s.anew()
}

// anew makes a fetch due as soon as one may begin. One that is under way does
// not count.
func (s *schedule) anew() {
	s.regular, s.paced, s.failures, s.again = s.rest, false, 0, s.fetching
}

// setInterval changes the interval; got is when the last figures came.
func (s *schedule) setInterval(interval, got time.Duration) {
	s.interval = interval
	if s.paced {
		s.regular = got + s.jittered()
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

// lifetime is how long figures are not stale: two intervals, and with a short one as
// long as the next figures may take to come, for they would flicker else. A demo's
// interval is shorter than any that a person can choose, and its server is quick.
func (s *schedule) lifetime() time.Duration {
	if s.interval < MinWatchInterval {
		return 2 * s.interval
	}
	return max(2*s.interval, s.interval+s.interval/10+slowest)
}
