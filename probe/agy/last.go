package agy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
	"windsock/probe/terminal"
)

// last is what is kept of the runs of agy.
type last struct {
	// Ran is when it was last run, by this computer's clock, and Failed the code of why
	// that gave no figures; "" if it did.
	Ran    time.Time `json:"ran"`
	Failed string    `json:"failed,omitempty"`
	// Answer is the last one, reduced, in agy's own form, and At when agy was run for it.
	Answer json.RawMessage `json:"answer,omitempty"`
	At     time.Time       `json:"at,omitzero"`
}

const (
	lastName     = "antigravity-usage.json"
	lastLockName = "antigravity-usage.lock"
	// lockPoll is how often a process looks whether another's agy has ended.
	lockPoll = 100 * time.Millisecond
)

// ErrNotFound is the error for an agy that is nowhere.
var ErrNotFound error = &say.Error{
	Code: "not_running", Exit: 3,
	What: "agy, Antigravity's command line, was not found.", Cure: "Set $ANTIGRAVITY_CLI_PATH to its path.",
}

// Usage returns agy's answer to /usage, reduced to its figures, as a JSON object, and
// when agy was run for it. Where the last answer is younger than every, it is that.
// Otherwise agy is run, for a minute at most, by one process at a time and not again
// within every, whether or not it answers; what the last run told is told again. While
// another process runs it, an answer of less than twice every will do.
//
// agy spends no quota on it and keeps no conversation; it contacts Google, and may update
// itself. Only a person who has switched [Config.AskAgy] on wants that.
//
// Beside an error raw is an older answer, nil for none. The error is ErrNotFound, that of
// a cancelled context, or a say.Teller that quotes nothing of agy.
func (d Dirs) Usage(ctx context.Context, now time.Time, every time.Duration) (raw []byte, at time.Time, err error) {
	l := d.readLast(now)
	if l.fresh(now, every) {
		return l.Answer, l.At, nil
	}
	program, ok := d.Find()
	if !ok {
		return l.Answer, l.At, ErrNotFound
	}
	ctx, cancel := context.WithTimeout(ctx, usageTime)
	defer cancel()
	unlock, err := d.lockLast(ctx, !l.fresh(now, 2*every))
	switch {
	case errors.Is(err, errRuns):
		return l.Answer, l.At, nil
	case err != nil:
		return l.Answer, l.At, err
	}
	defer unlock()
	l = d.readLast(now)
	switch {
	case l.fresh(now, every): // another process has run agy since
		return l.Answer, l.At, nil
	case l.Failed != "" && now.Sub(l.Ran) < every:
		return l.Answer, l.At, noFigures(l.Failed, errors.New("run agy: it gave no figures a short time ago"))
	}
	// A process that does not live to the end of the run has had no answer in time.
	l.Ran, l.Failed = now, codeTimeout
	if err := d.writeLast(l); err != nil {
		return l.Answer, l.At, unkept(err)
	}
	answer, err := run(ctx, program, usageTime)
	if err == nil {
		l.Answer, l.At, l.Failed = answer, now, ""
	} else {
		l.Failed = cmp.Or(say.Code(err), codeTimeout)
	}
	_ = d.writeLast(l) // the run is noted already
	return l.Answer, l.At, err
}

// LastUsage returns the last answer to /usage and when agy was run for it, without
// running agy; nil for none.
func (d Dirs) LastUsage(now time.Time) (raw []byte, at time.Time) {
	l := d.readLast(now)
	return l.Answer, l.At
}

// fresh reports whether the answer is younger than an age.
func (l last) fresh(now time.Time, age time.Duration) bool {
	return l.Answer != nil && now.Sub(l.At) < age
}

// readLast reads what is kept. What is unusable, or of the future, whose age is not
// known, counts as missing.
func (d Dirs) readLast(now time.Time) (l last) {
	text, err := files.Read(filepath.Join(d.State, lastName), maxPayload)
	if err != nil || json.Unmarshal(text, &l) != nil {
		return last{}
	}
	if l.Ran.After(now.Add(aheadAtMost)) {
		l.Ran, l.Failed = time.Time{}, ""
	}
	answer, ok := reduceUsage(l.Answer)
	if l.Answer = answer; !ok || l.At.IsZero() || l.At.After(now.Add(aheadAtMost)) {
		l.Answer, l.At = nil, time.Time{}
	}
	return l
}

func (d Dirs) writeLast(l last) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return files.Overwrite(filepath.Join(d.State, lastName), text, 0o600)
}

// errRuns is the error where another process runs agy.
var errRuns = errors.New("another process runs agy")

// lockLast keeps other processes from running agy. Where one does it waits, or returns
// errRuns.
func (d Dirs) lockLast(ctx context.Context, wait bool) (unlock func(), err error) {
	if err := files.MakeDir(d.State); err != nil {
		return nil, unkept(err)
	}
	lock := flock.New(filepath.Join(d.State, lastLockName), flock.SetPermissions(0o600))
	var held bool
	if wait {
		held, err = lock.TryLockContext(ctx, lockPoll)
	} else {
		held, err = lock.TryLock()
	}
	switch {
	case held:
		return func() { _ = lock.Close() }, nil // it ends with the process
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, noFigures(codeTimeout, errors.New("wait for the agy of another process: it took too long"))
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, unkept(err)
	default:
		return nil, errRuns
	}
}

// unkept is the error where agy would be run each time anew.
func unkept(err error) error {
	return &say.Error{
		Code: codeBadResponse, Exit: 1,
		What:  "agy, Antigravity's command line, is not run, since Windsock cannot note that it was.",
		Cure:  "Look whether Windsock's state directory is yours.",
		Cause: fmt.Errorf("keep figures of agy: %w", redact.Path(err)),
	}
}

// usageAnswer is where buckets stand in an answer to /usage (PROTOCOL.md 8.8).
type usageAnswer[bucket any] struct {
	Status  string `json:"status"`
	Command struct {
		Data struct {
			Groups []usageGroup[bucket] `json:"groups"`
		} `json:"data"`
	} `json:"command"`
}

type usageGroup[bucket any] struct {
	Buckets []bucket `json:"buckets"`
}

// usageBucket is what is kept of a limit. RemainingFraction is a number, or null.
type usageBucket struct {
	ID                string          `json:"id"`
	Name              string          `json:"name,omitempty"`
	Window            string          `json:"window,omitempty"`
	RemainingFraction json.RawMessage `json:"remaining_fraction,omitempty"`
	ResetTime         string          `json:"reset_time,omitempty"` // RFC 3339
}

// succeeded is the status of an answer with figures.
const succeeded = "SUCCESS"

// reduceUsage returns what is kept of an answer to /usage, in agy's own form; false if it
// has no figures.
func reduceUsage(answer []byte) (json.RawMessage, bool) {
	var given usageAnswer[map[string]json.RawMessage]
	if json.Unmarshal(answer, &given) != nil || given.Status != succeeded {
		return nil, false
	}
	kept, count := usageAnswer[usageBucket]{Status: succeeded}, 0
	for _, group := range given.Command.Data.Groups {
		var some usageGroup[usageBucket]
		for _, raw := range group.Buckets {
			// One that is switched off has no figures.
			b, ok := reduceBucket(raw)
			if !ok || count == maxBuckets || string(raw["disabled"]) == "true" {
				continue
			}
			some.Buckets = append(some.Buckets, b)
			count++
		}
		if some.Buckets != nil {
			kept.Command.Data.Groups = append(kept.Command.Data.Groups, some)
		}
	}
	raw, err := json.Marshal(kept)
	return raw, err == nil && count > 0
}

func reduceBucket(raw map[string]json.RawMessage) (usageBucket, bool) {
	text := func(name string) (value string) {
		_ = json.Unmarshal(raw[name], &value) // another value is none
		return value
	}
	b := usageBucket{
		ID: text("id"), Name: terminal.Line(text("name")), Window: text("window"),
		RemainingFraction: number(raw["remaining_fraction"]), ResetTime: resetTime(raw["reset_time"]),
	}
	if len([]rune(b.Name)) > maxName {
		b.Name = ""
	}
	if !bucketName.MatchString(b.Window) {
		b.Window = ""
	}
	return b, bucketName.MatchString(b.ID)
}
