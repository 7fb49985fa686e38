package antigravity

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"windsock/usage"
	"windsock/usage/field"
)

// The lengths of windows.
const (
	fiveHours = 5 * time.Hour
	week      = 7 * 24 * time.Hour
)

// known are the buckets that have a meter of the table, in its order. Their IDs match
// exactly (PROTOCOL.md 8.4).
var known = []struct {
	bucket string
	meter  usage.MeterID
	length time.Duration
}{
	{"gemini-5h", usage.Gemini5h, fiveHours},
	{"gemini-weekly", usage.GeminiWeekly, week},
	{"3p-5h", usage.ThirdParty5h, fiveHours},
	{"3p-weekly", usage.ThirdPartyWeekly, week},
}

// buckets collects the meters of an answer's buckets; the first bucket of an ID counts.
type buckets struct {
	table  map[string]usage.Meter
	others []usage.Meter
	seen   map[string]bool
}

func (b *buckets) groups(groups gjson.Result) {
	for _, group := range groups.Array() {
		for _, bucket := range group.Get("buckets").Array() {
			b.add(text(bucket, "bucketId", "id"), bucket)
		}
	}
}

// add reads a bucket. One that the table lacks keeps its ID and its own name, and comes
// after the others.
func (b *buckets) add(id string, bucket gjson.Result) {
	if id == "" || !bucket.IsObject() || b.seen[id] {
		return
	}
	if b.seen == nil {
		b.seen, b.table = map[string]bool{}, map[string]usage.Meter{}
	}
	b.seen[id] = true
	// An unreadable flag hides nothing.
	if disabled, _ := field.ReadFlag(bucket, "disabled"); disabled {
		return
	}
	reset := readReset(bucket)
	for _, k := range known {
		if k.bucket == id {
			b.table[id] = filled(usage.NewMeter(k.meter, windowTo(reset, k.length)), readFraction(bucket))
			return
		}
	}
	name := usage.CleanName(id)
	if name == "" || slices.Contains(usage.MeterIDs(), usage.MeterID(name)) { // it would pass for another meter
		return
	}
	name = strings.Clone(name) // not the whole answer with it
	m := usage.Meter{ID: usage.MeterID(name), Name: name, Unit: usage.UnitPercent}
	if own := usage.CleanName(text(bucket, "displayName", "name")); own != "" {
		m.Name = strings.Clone(own)
	}
	m.Window = windowTo(reset, map[string]time.Duration{"5h": fiveHours, "weekly": week}[text(bucket, "window")])
	b.others = append(b.others, filled(m, readFraction(bucket)))
}

// meters are the meters, in the order of the table.
func (b *buckets) meters() []usage.Meter {
	var meters []usage.Meter
	for _, k := range known {
		if m, ok := b.table[k.bucket]; ok {
			meters = append(meters, m)
		}
	}
	return append(meters, b.others...)
}

// text is the first of the fields that is a text.
func text(object gjson.Result, names ...string) string {
	for _, name := range names {
		if v := object.Get(name); v.Type == gjson.String {
			return v.Str
		}
	}
	return ""
}

// readFraction reads the share that is left, in per cent. It is one member of a choice:
// zero is written, and a missing one is unknown. Besides the flat form there are the two
// in which clients write such a choice.
func readFraction(bucket gjson.Result) field.Figure {
	remaining := field.Inner(bucket, "remaining")
	for _, f := range []field.Figure{
		field.ReadFigure(bucket, "remainingFraction", field.Fraction),
		field.ReadFigure(bucket, "remaining_fraction", field.Fraction),
		field.ReadFigure(remaining, "remainingFraction", field.Fraction),
	} {
		if f.There {
			return f
		}
	}
	if text(remaining, "case") == "remainingFraction" {
		return field.ReadFigure(remaining, "value", field.Fraction)
	}
	return field.Figure{Field: "remainingFraction"}
}

func readReset(object gjson.Result) time.Time {
	if reset := field.ReadDate(object, "resetTime"); !reset.IsZero() {
		return reset
	}
	return field.ReadDate(object, "reset_time")
}

// windowTo is the window of that length before a reset; a length of 0 is unknown.
func windowTo(reset time.Time, length time.Duration) usage.Window {
	w := usage.Window{End: reset}
	if !reset.IsZero() && length > 0 {
		w.Start = reset.Add(-length)
	}
	return w
}

var whole = usage.Micros(100 * usage.One)

// readable reports whether a figure is a share: above all of it means nothing. Below
// nothing is used up.
func readable(f field.Figure) bool {
	return f.Amount.Known() && f.Amount.Millionths() <= whole.Millionths()
}

// filled is the meter with what is left of it.
func filled(m usage.Meter, left field.Figure) usage.Meter {
	if !readable(left) {
		return m.Without(usage.StateUnreadable)
	}
	return m.Of(whole.Minus(left.OrZero()), whole)
}
