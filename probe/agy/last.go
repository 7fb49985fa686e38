package agy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"windsock/probe/kept"
	"windsock/probe/say"
	"windsock/probe/terminal"
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
	fresh := func(l kept.Last, age time.Duration) bool { return l.Answer != nil && now.Sub(l.At) < age }
	l := d.lastRun(now)
	if fresh(l, every) {
		return l.Answer, l.At, nil
	}
	program, ok := d.Find()
	if !ok {
		return l.Answer, l.At, ErrNotFound
	}
	ctx, cancel := context.WithTimeout(ctx, usageTime)
	defer cancel()
	place := d.runs(now)
	place.Meanwhile = func(l kept.Last) bool { return fresh(usable(l), 2*every) }
	due := func(l kept.Last) bool {
		return !fresh(usable(l), every) && now.Sub(l.Asked) >= every
	}
	var failed error
	l, err = place.Get(ctx, due, func(ctx context.Context, l kept.Last) kept.Last {
		answer, err := run(ctx, program, usageTime)
		switch failed = err; {
		case err == nil:
			return l.Answered(answer, "")
		case errors.Is(err, context.Canceled): // it says nothing of agy
			return l
		}
		return l.Failing(err)
	})
	l = usable(l)
	switch {
	case failed != nil:
		err = failed
	case errors.Is(err, context.DeadlineExceeded):
		err = noFigures(codeTimeout, errors.New("wait for the agy of another process: it took too long"))
	case err == nil && l.Asked.After(l.At):
		err = noFigures(failure(l), errors.New("run agy: it gave no figures a short time ago"))
	}
	return l.Answer, l.At, err
}

// LastUsage returns the last answer to /usage and when agy was run for it, without
// running agy; nil for none.
func (d Dirs) LastUsage(now time.Time) (raw []byte, at time.Time) {
	l := d.lastRun(now)
	return l.Answer, l.At
}

// runs is where the last answer to /usage is kept.
func (d Dirs) runs(now time.Time) kept.Place {
	return kept.Place{Dir: d.State, Name: "antigravity-usage", Now: func() time.Time { return now }}
}

func (d Dirs) lastRun(now time.Time) kept.Last { return usable(d.runs(now).Read()) }

// usable is what can be used of what is kept.
func usable(l kept.Last) kept.Last {
	answer, ok := reduceUsage(l.Answer)
	if l.Answer = answer; !ok {
		l.Answer, l.At = nil, time.Time{}
	}
	return l
}

// failure is the code of why the last run gave no figures. A process that did not live to
// the end of the run has had no answer in time.
func failure(l kept.Last) string {
	if l.Failed == nil {
		return codeTimeout
	}
	return cmp.Or(l.Failed.Code, codeTimeout)
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
	reduced, count := usageAnswer[usageBucket]{Status: succeeded}, 0
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
			reduced.Command.Data.Groups = append(reduced.Command.Data.Groups, some)
		}
	}
	raw, err := json.Marshal(reduced)
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
	if !bucketName().MatchString(b.Window) {
		b.Window = ""
	}
	return b, bucketName().MatchString(b.ID)
}
