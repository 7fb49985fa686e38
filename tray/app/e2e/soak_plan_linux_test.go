package e2e

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"windsock/probe/simulator"
	"windsock/probe/simulator/cloud"
)

// A lane is a part of the world in which one thing happens at a time. What happens
// in different lanes overlaps.
type lane int

const (
	laneWindsurf lane = iota
	laneNext
	laneAntigravity
	laneSignIn
	laneCloud
	laneDesktop
	lanePrompt
	laneAgent
	laneCommand
	lanes
)

// What can happen.
const (
	restarted    = "editor restarted" // with another port and token
	killed       = "editor killed"    // and started again
	stopped      = "editor stopped"   // SIGSTOP, and SIGCONT
	secondWindow = "second window"    // one more server, which is asked first
	faulty       = "fault"            // one of the simulator's
	otherAccount = "account"          // one of the editor's

	keyRewritten = "key rewritten" // its form
	keyLocked    = "key locked"    // by a transaction that is rolled back
	keyGone      = "key gone"      // and back

	serviceFails  = "service fails"  // in one of the simulator's ways, while it is asked anew
	editorsHidden = "no editor"      // runs as far as can be seen, and the service fails so
	tokenRevoked  = "token revoked"  // and known again
	signedOut     = "signed out"     // and in again
	otherCursor   = "Cursor account" // in another state

	settingsEdited = "settings edited"
	settingsBroken = "settings broken" // and mended
	refreshClicked = "refresh clicked"
	muteClicked    = "mute clicked"
	hostGone       = "tray host gone"     // and back, while the watcher stays
	panelGone      = "panel gone"         // with the watcher, and back
	noticesGone    = "notifications gone" // with their daemon, and back

	asked         = "asked"              // by the command
	askKilled     = "ask killed"         // in the middle of the answer
	askEnded      = "ask interrupted"    // by Ctrl-C
	apiAsked      = "local API"          // by a path of it
	apiLeft       = "local API left"     // in the middle of the answer
	windowAsked   = "window"             // twice in one conversation
	windowLeft    = "window left"        // in the middle of the answer
	agentAsked    = "agent"              // with a course of its turn
	agentBroken   = "agent with a fault" // one of the simulator's
	agentKilled   = "agent's ask killed" // with programs that do not end by themselves
	commandWasRun = "command"
)

// streamed marks a path of the local API whose answer comes in pieces.
const streamed = " streamed"

// A step is something that happens. It begins at a time after the start, and is over
// after hold.
type step struct {
	lane       lane
	kind, what string
	at, hold   time.Duration
	// session is the one in which it happens, of what happens in one.
	session int
	// anew makes the apps ask at once when it is over, whatever they wait for then.
	// Otherwise they come back by themselves.
	anew bool
}

func (s step) String() string { return s.kind + " " + s.what }

// The accounts that come and go.
var (
	soakAccounts = []string{"teams_credits", "pro_low", "exhausted", "unlimited", "quota_tight", "free", "signed_out"}
	nextAccounts = []string{"quota_fresh", "pro_near_end", "quota_debt", "quota_hidden_daily", "quota_plan_on_top"}
	agyAccounts  = []string{"pro", "fresh", "tight", "exhausted", "weekly_exhausted", "free", "five_buckets", "signed_out"}
	cursorStates = []string{"individual", "free", "exhausted", "on_demand_capped", "requests"}
)

// serviceFaults are one of each kind.
var serviceFaults = []cloud.Fault{
	cloud.FaultOffline, cloud.FaultProxyLogin, cloud.FaultUntrusted, cloud.FaultNotKnown, cloud.FaultForbidden, cloud.FaultTooMany, cloud.FaultTooManyUntil,
	cloud.FaultInternal, cloud.FaultUnavailable, cloud.FaultRedirect, cloud.FaultPage, cloud.FaultCutOff, cloud.FaultBomb, cloud.FaultDrip, cloud.FaultHang,
}

// each are steps of a kind.
func each[T ~string](kind string, whats ...T) (steps []step) {
	for _, what := range whats {
		steps = append(steps, step{kind: kind, what: string(what)})
	}
	return steps
}

// soakSteps are all possible steps of each lane.
func soakSteps() [lanes][]step {
	editor := func(faults []simulator.Fault, accounts []string, more ...string) []step {
		steps := slices.Concat(each(faulty, faults...), each(otherAccount, accounts...))
		for _, kind := range append([]string{restarted, killed, stopped}, more...) {
			steps = append(steps, step{kind: kind})
		}
		return steps
	}
	return [lanes][]step{
		laneWindsurf:    editor(simulator.Faults(), soakAccounts, secondWindow),
		laneNext:        editor(simulator.Faults(), nextAccounts),
		laneAntigravity: editor(simulator.AntigravityFaults(), agyAccounts),
		laneSignIn:      append(each(keyRewritten, "blob", "wide", "wal", "plain"), step{kind: keyLocked}, step{kind: keyGone}),
		laneCloud: slices.Concat(
			each(serviceFails, serviceFaults...), each(editorsHidden, cloud.FaultNone, cloud.FaultTooMany, cloud.FaultCutOff),
			each(otherCursor, cursorStates...), each(tokenRevoked, "cursor", "devin-cli"), each(signedOut, "cursor", "devin-cli"),
		),
		laneDesktop: {
			{kind: settingsEdited},
			{kind: settingsBroken},
			{kind: refreshClicked},
			{kind: muteClicked},
			{kind: hostGone},
			{kind: panelGone},
			{kind: noticesGone},
		},
		lanePrompt: slices.Concat(
			[]step{{kind: asked}, {kind: askKilled}, {kind: askEnded}, {kind: windowAsked}, {kind: windowLeft}},
			each(apiAsked, "chat/completions", "chat/completions"+streamed, "responses", "responses"+streamed),
			each(apiLeft, "chat/completions", "responses"),
		),
		laneAgent: slices.Concat(
			each(agentAsked, "echo", "asks_always", "requests", "quota", "crashes", "half_line", "hangs", "flood"),
			each(agentBroken, "signed_out", "new_protocol", "hangs_session", "keeps_sessions"), []step{{kind: agentKilled}},
		),
		laneCommand: each(commandWasRun, soakCommands...),
	}
}

// soakCommands are commands that are run beside the app. The first are looked at.
var soakCommands = []string{
	"status --json", "status --cached --json", "status --format prometheus", "status --format waybar", "status --product cursor --json",
	"spend --json", "history --json", "models --json", "doctor --json", "clean --yes", "clean --undo --yes",
}

// longer is how many times as long as others a step lasts, so that the app gives up,
// which it does after 8 s of waiting for an answer.
func (s step) longer() float64 {
	switch {
	case s.kind == stopped, s.kind == faulty && s.what == string(simulator.FaultHang), s.kind == editorsHidden:
		return 4
	case s.kind == faulty && s.what == string(simulator.FaultHuge):
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
			s.session = r.IntN(soakSessions)
			s.anew = lane(l) < laneDesktop && r.Float64() < 0.5
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
				missing = append(missing, strings.TrimSpace(s.String()))
			}
		}
	}
	return missing
}
