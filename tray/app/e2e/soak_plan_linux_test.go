package e2e

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"windsock/probe/simulator"
)

// A lane is a part of the world in which one thing happens at a time. What happens
// in different lanes overlaps.
type lane int

const (
	laneEditor lane = iota
	laneSignIn
	laneDesktop
	lanes
)

// What can happen.
const (
	restarted    = "editor restarted" // with another port and token
	killed       = "editor killed"    // and started again
	stopped      = "editor stopped"   // SIGSTOP, and SIGCONT
	secondWindow = "second window"    // one more server, which is asked first
	faulty       = "fault"            // one of simulator.Faults
	otherAccount = "account"          // one of soakAccounts

	keyRewritten = "key rewritten" // its form
	keyLocked    = "key locked"    // by a transaction that is rolled back
	keyGone      = "key gone"      // and back

	settingsEdited = "settings edited"
	settingsBroken = "settings broken" // and mended
	refreshClicked = "refresh clicked"
	muteClicked    = "mute clicked"
	hostGone       = "tray host gone" // and back, while the watcher stays
	panelGone      = "panel gone"     // with the watcher, and back
)

// A step is something that happens. It begins at a time after the start, and is over
// after hold.
type step struct {
	lane       lane
	kind, what string
	at, hold   time.Duration
	// anew makes the apps ask at once when it is over, whatever they wait for then.
	// Otherwise they come back by themselves.
	anew bool
}

func (s step) String() string { return s.kind + " " + s.what }

// soakAccounts are the accounts that come and go.
var soakAccounts = []string{
	"teams_credits", "pro_low", "exhausted", "unlimited", "quota_tight", "quota_debt", "free", "signed_out",
}

// soakSteps are all possible steps of each lane.
func soakSteps() [lanes][]step {
	c := [lanes][]step{
		laneEditor: {{kind: restarted}, {kind: killed}, {kind: stopped}, {kind: secondWindow}},
		laneSignIn: {
			{kind: keyRewritten, what: "blob"},
			{kind: keyRewritten, what: "wide"},
			{kind: keyRewritten, what: "wal"},
			{kind: keyRewritten, what: "plain"},
			{kind: keyLocked},
			{kind: keyGone},
		},
		laneDesktop: {
			{kind: settingsEdited},
			{kind: settingsBroken},
			{kind: refreshClicked},
			{kind: muteClicked},
			{kind: hostGone},
			{kind: panelGone},
		},
	}
	for _, f := range simulator.Faults() {
		c[laneEditor] = append(c[laneEditor], step{kind: faulty, what: string(f)})
	}
	for _, s := range soakAccounts {
		c[laneEditor] = append(c[laneEditor], step{kind: otherAccount, what: s})
	}
	return c
}

// longer is how many times as long as others a step lasts, so that the app gives up,
// which it does after 8 s of waiting for an answer.
func (s step) longer() float64 {
	switch {
	case s.kind == stopped, s.what == string(simulator.FaultHang):
		return 4
	case s.what == string(simulator.FaultHuge):
		return 2
	default:
		return 1
	}
}

// soakPlan draws what happens when. In each lane everything happens in turns, each time
// in another order, so that the beginning and the end are alike; during the warm-up
// it happens three times as fast. The same seed makes the same plan.
func soakPlan(length, warmUp, every time.Duration, seed uint64) []step {
	var plan []step
	for l, all := range soakSteps() {
		r := rand.New(rand.NewPCG(seed, uint64(l)))
		var turn []step
		for at := time.Duration(0); ; {
			if len(turn) == 0 {
				turn = slices.Clone(all)
				r.Shuffle(len(turn), func(i, j int) { turn[i], turn[j] = turn[j], turn[i] })
			}
			s := turn[0]
			turn = turn[1:]
			pause := every
			if at < warmUp {
				pause /= 3
			}
			drawn := func(low, high float64) time.Duration {
				return time.Duration((low + (high-low)*r.Float64()) * float64(pause)).Round(time.Millisecond)
			}
			s.lane, s.at, s.hold = lane(l), at+drawn(0.2, 0.6), drawn(0.3*s.longer(), 0.9*s.longer())
			s.anew = lane(l) != laneDesktop && r.Float64() < 0.7
			if at = s.at + s.hold; at > length {
				break
			}
			plan = append(plan, s)
		}
	}
	slices.SortStableFunc(plan, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	return plan
}

// missingOf are the steps that a plan lacks.
func missingOf(plan []step) (missing []string) {
	for _, all := range soakSteps() {
		for _, s := range all {
			if !slices.ContainsFunc(plan, func(p step) bool { return p.String() == s.String() }) {
				missing = append(missing, s.String())
			}
		}
	}
	return missing
}
