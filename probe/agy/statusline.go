package agy

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"windsock/probe/files"
	"windsock/probe/terminal"
)

const (
	// maxPayload, in bytes, is many times the size of what agy hands to its status line.
	maxPayload = 64 << 10
	// payloadTime is how long agy may take to write it.
	payloadTime = 2 * time.Second
	// maxBuckets is far more limits than a plan has.
	maxBuckets = 32
	// maxName, in characters, is longer than the name of any tier and any limit.
	maxName = 100
)

// reading is what is kept of a payload, in agy's own form. The rest names the person,
// their directories and what they talk about.
type reading struct {
	// At is when agy told it, by this computer's clock.
	At       time.Time         `json:"at"`
	PlanTier string            `json:"plan_tier,omitempty"`
	Quota    map[string]bucket `json:"quota"`
}

// bucket is one limit. RemainingFraction and ResetInSeconds are numbers, or null.
type bucket struct {
	RemainingFraction json.RawMessage `json:"remaining_fraction,omitempty"`
	ResetTime         string          `json:"reset_time,omitempty"` // RFC 3339
	ResetInSeconds    json.RawMessage `json:"reset_in_seconds,omitempty"`
}

// bucketName matches names of limits, such as gemini-5h. Compiling it takes too long for
// every start of the program.
var bucketName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w.:-]{1,64}$`) })

// readPayload reads one JSON value, without waiting for the end of the input. After
// payloadTime, or without a value in its first maxPayload bytes, it returns nil.
func readPayload(ctx context.Context, in io.Reader) []byte {
	ctx, cancel := context.WithTimeout(ctx, payloadTime)
	defer cancel()
	values := make(chan json.RawMessage, 1)
	// The read of a pipe cannot be cancelled. It ends with the process.
	go func() {
		var value json.RawMessage
		_ = json.NewDecoder(io.LimitReader(in, maxPayload)).Decode(&value) // value is nil then
		values <- value
	}()
	select {
	case <-ctx.Done():
		return nil
	case value := <-values:
		return value
	}
}

// reduce returns what is kept of a payload; false if it has no figures.
func reduce(payload []byte, now time.Time) (reading, bool) {
	var given struct {
		PlanTier json.RawMessage            `json:"plan_tier"`
		Quota    map[string]json.RawMessage `json:"quota"`
	}
	if json.Unmarshal(payload, &given) != nil {
		return reading{}, false
	}
	kept := reading{At: now.UTC(), Quota: map[string]bucket{}}
	var tier string
	if json.Unmarshal(given.PlanTier, &tier) == nil && len([]rune(tier)) <= maxName {
		kept.PlanTier = terminal.Line(tier)
	}
	for name, raw := range given.Quota {
		var b struct {
			RemainingFraction json.RawMessage `json:"remaining_fraction"`
			ResetTime         json.RawMessage `json:"reset_time"`
			ResetInSeconds    json.RawMessage `json:"reset_in_seconds"`
		}
		if len(kept.Quota) == maxBuckets || !bucketName().MatchString(name) || len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &b) != nil {
			continue
		}
		kept.Quota[name] = bucket{
			RemainingFraction: number(b.RemainingFraction), ResetInSeconds: number(b.ResetInSeconds), ResetTime: resetTime(b.ResetTime),
		}
	}
	return kept, len(kept.Quota) > 0
}

// number returns a JSON number as it is, null for another value, and nil for none.
func number(raw json.RawMessage) json.RawMessage {
	var value json.Number
	switch {
	case raw == nil:
		return nil
	case raw[0] == '"' || len(raw) > 32 || json.Unmarshal(raw, &value) != nil:
		return json.RawMessage("null")
	default:
		return raw
	}
}

// resetTime returns a time in RFC 3339, and "" for another value.
func resetTime(raw json.RawMessage) string {
	var at time.Time
	if json.Unmarshal(raw, &at) != nil || at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// figures is the path of the last reading.
func (d Dirs) figures() string { return filepath.Join(d.State, "antigravity-status-line.json") }

// keep stores the figures of a payload, and returns them as [Dirs.StatusLine] does. A
// payload without figures leaves the last ones as they are; then raw is nil. Processes
// may call it at once: the last one counts.
func (d Dirs) keep(payload []byte, now time.Time) (raw []byte, err error) {
	kept, ok := reduce(payload, now)
	if !ok {
		return nil, nil
	}
	if raw, err = json.Marshal(kept); err != nil {
		return nil, err
	}
	if err := files.MakeDir(d.State); err != nil {
		return raw, err
	}
	return raw, files.Overwrite(d.figures(), raw, 0o600)
}

// aheadAtMost is how far the time of a reading may be in the future; the clock may have
// been set back a little.
const aheadAtMost = time.Minute

// errUnusable is the error for a file that is not a reading of this clock's past.
var errUnusable = errors.New("the figures of agy's status line cannot be used")

// StatusLine returns the last figures that agy handed to its status line, as a JSON
// object with its plan_tier and quota, and when. It fails with fs.ErrNotExist if there
// are none, and if their time is in the future, since their age is not known then.
func (d Dirs) StatusLine(now time.Time) (raw []byte, at time.Time, err error) {
	raw, err = files.Read(d.figures(), maxPayload)
	if err != nil {
		return nil, time.Time{}, err
	}
	var kept reading
	if json.Unmarshal(raw, &kept) != nil || kept.At.IsZero() || len(kept.Quota) == 0 || kept.At.After(now.Add(aheadAtMost)) {
		return nil, time.Time{}, errUnusable
	}
	return raw, kept.At, nil
}

// Look is what can be seen of both ways without agy.
type Look struct {
	// Settings says whether agy's settings exist, Line whether Windsock's status line is
	// in them, Other whether another program's is, and Unreadable why they cannot be
	// read, as a clause.
	Settings, Line, Other bool
	Unreadable            string
	// At is when the last figures of the line came; zero without any. Broken says that their file is
	// there and cannot be used.
	At     time.Time
	Broken bool
	// Ran is when agy was last run for its answer to /usage, zero for never, and Failed
	// whether that gave no figures.
	Ran    time.Time
	Failed bool
}

// Look looks at agy's settings and what is kept.
func (d Dirs) Look(now time.Time) Look {
	var l Look
	text, _, err := d.readSettings()
	if err == nil && text != nil {
		l.Settings = true
		_, err = withoutLine(text, "")
		l.Line, l.Other = err == nil, errors.Is(err, errOther)
	}
	if err != nil && !errors.Is(err, errNoLine) && !errors.Is(err, errOther) {
		l.Settings, l.Unreadable = true, err.Error()
	}
	_, l.At, err = d.StatusLine(now)
	l.Broken = err != nil && !errors.Is(err, fs.ErrNotExist)
	last := d.lastRun(now)
	l.Ran, l.Failed = last.Asked, last.Asked.After(last.At)
	return l
}
