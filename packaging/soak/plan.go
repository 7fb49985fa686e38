package main

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"windsock/probe/simulator"
)

// A lane is a part of the world in which one thing happens at a time. What
// happens in different lanes overlaps.
type lane int

const (
	laneEditor lane = iota
	laneSignIn
	laneDesktop
	lanes
)

// kind is what can happen.
type kind string

const (
	restart      kind = "restart"       // the editor, with another port and token
	crash        kind = "kill -9"       // the editor, which is started again
	freeze       kind = "stop"          // SIGSTOP, and SIGCONT
	secondWindow kind = "second window" // one more server, which is asked first
	fault        kind = "fault"         // what is one of simulator.Faults
	account      kind = "account"       // what is one of scenarios

	rewritten kind = "key rewritten" // in another form
	locked    kind = "key locked"    // by a transaction that is rolled back
	gone      kind = "key gone"      // and back

	edited  kind = "settings edited"
	broken  kind = "settings broken" // and mended
	refresh kind = "refresh"         // a click
	mute    kind = "mute"            // a click
	noHost  kind = "tray gone"       // and back, while the watcher stays
	noPanel kind = "panel gone"      // with the watcher, and back
)

// step is something that happens. It begins at a time after the start, and is
// over after hold.
type step struct {
	at, hold time.Duration
	lane     lane
	kind     kind
	what     string // which one, "" where there is only one
	// anew makes the apps ask at once when it is over, whatever they wait for then.
	// Otherwise they come back by themselves.
	anew bool
}

// name is what the step is counted as.
func (s step) name() string {
	if s.kind == fault {
		return s.what
	}
	return string(s.kind)
}

// choices are all that can happen in each lane.
func choices() [lanes][]step {
	c := [lanes][]step{
		laneEditor: {{kind: restart}, {kind: crash}, {kind: freeze}, {kind: secondWindow}},
		laneSignIn: {
			{kind: rewritten, what: "blob"},
			{kind: rewritten, what: "wide"},
			{kind: rewritten, what: "wal"},
			{kind: rewritten, what: "plain"},
			{kind: locked},
			{kind: gone},
		},
		laneDesktop: {
			{kind: edited},
			{kind: broken},
			{kind: refresh},
			{kind: mute},
			{kind: noHost},
			{kind: refresh},
			{kind: mute},
			{kind: noPanel},
		},
	}
	for _, f := range simulator.Faults() {
		c[laneEditor] = append(c[laneEditor], step{kind: fault, what: string(f)})
	}
	for _, s := range scenarios {
		c[laneEditor] = append(c[laneEditor], step{kind: account, what: s})
	}
	return c
}

// scenarios are the accounts that come and go; the last one is another.
var scenarios = []string{
	"teams_credits", "pro_low", "exhausted", "unlimited", "quota_tight", "quota_debt", "free", "signed_out",
}

// long are the kinds that last longer than others, and how many times: until the app
// loses its patience, which is after 8 s of an answer.
var long = map[string]float64{string(simulator.FaultHang): 4, string(freeze): 4, string(simulator.FaultHuge): 2}

// hurry is how much faster everything happens during the warm-up.
const hurry = 3

// newPlan draws what happens when. In each lane everything happens in turns, each
// time in another order, so that the beginning and the end are alike.
func newPlan(o options) []step {
	var plan []step
	for l, all := range choices() {
		r := rand.New(rand.NewPCG(o.seed, uint64(l))) //nolint:gosec // it has to be the same each time
		var turn []step
		for at := time.Duration(0); ; {
			every := o.every
			if at < o.warmUp {
				every /= hurry
			}
			if len(turn) == 0 {
				turn = slices.Clone(all)
				r.Shuffle(len(turn), func(i, j int) { turn[i], turn[j] = turn[j], turn[i] })
			}
			s := turn[0]
			turn = turn[1:]
			drawn := func(low, high float64) time.Duration {
				return time.Duration((low + (high-low)*r.Float64()) * float64(every)).Round(time.Millisecond)
			}
			times := max(1, long[s.name()])
			s.lane, s.at, s.hold = lane(l), at+drawn(0.2, 0.6), drawn(0.3*times, 0.9*times)
			s.anew = lane(l) != laneDesktop && r.Float64() < 0.7
			if at = s.at + s.hold; at > o.length {
				break
			}
			plan = append(plan, s)
		}
	}
	slices.SortStableFunc(plan, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	return plan
}

func printPlan(out io.Writer, plan []step) {
	for _, s := range plan {
		fmt.Fprintln(out, strings.TrimSpace(fmt.Sprintf("%8.1f s  for %4.1f s  %s %s", s.at.Seconds(), s.hold.Seconds(), s.kind, s.what)))
	}
}
