// Package field reads the fields of JSON that another program wrote: figures, flags,
// words and times, any of which may be missing, wrong or in another form. An unusable
// value is unknown, never a guess.
package field

import (
	"bytes"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"windsock/probe/jsoncheck"
	"windsock/usage"
)

// Scales convert a number of the wire to millionths. A fraction, 0 to 1, becomes per
// cent.
const (
	Micros     = 1
	Hundredths = usage.One / 100
	Whole      = usage.One
	Fraction   = 100 * usage.One
)

// numberGrammar is JSON's own, for numbers that come as strings: no hex, no
// NaN, no sign before a positive one, no blanks.
var numberGrammar = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// ParseNumber reads a decimal times scale, truncated. It rejects a result that does not
// fit an int64.
func ParseNumber(text string, scale int64) (int64, bool) {
	// Length and magnitude are checked before anything is computed: an exponent of a
	// billion must not become a number.
	if len(text) > 64 || !numberGrammar.MatchString(text) {
		return 0, false
	}
	size, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	if size > -1e-9 && size < 1e-9 {
		return 0, true
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, false
	}
	exact.Mul(exact, new(big.Rat).SetInt64(scale))
	whole := new(big.Int).Quo(exact.Num(), exact.Denom())
	return whole.Int64(), whole.IsInt64()
}

// Figure is a number in a field: absent, known, or there but unreadable.
type Figure struct {
	// Field is the field's name.
	Field  string
	There  bool
	Amount usage.Amount
}

// Unreadable reports whether the field is there without a usable number.
func (f Figure) Unreadable() bool { return f.There && !f.Amount.Known() }

// OrZero is the amount, or zero when it is absent or negative: the wire omits zeros,
// and there is no negative use.
func (f Figure) OrZero() usage.Amount {
	if f.Amount.Positive() {
		return f.Amount
	}
	return usage.Micros(0)
}

// Present returns the field, and false when it is absent or null.
func Present(object gjson.Result, field string) (gjson.Result, bool) {
	v := object.Get(field)
	return v, v.Type != gjson.Null
}

// Inner returns the object in a field, or an empty Result.
func Inner(object gjson.Result, field string) gjson.Result {
	if v := object.Get(field); v.IsObject() {
		return v
	}
	return gjson.Result{}
}

// NumberText is the text of a number, from a JSON number or a string.
func NumberText(v gjson.Result) string {
	switch v.Type {
	case gjson.Number:
		return v.Raw
	case gjson.String:
		return v.Str
	default:
		return ""
	}
}

// ReadFigure reads a number times scale.
func ReadFigure(object gjson.Result, field string, scale int64) Figure {
	v, there := Present(object, field)
	if !there {
		return Figure{Field: field}
	}
	micros, ok := ParseNumber(NumberText(v), scale)
	if !ok {
		return Figure{Field: field, There: true}
	}
	return Figure{Field: field, There: true, Amount: usage.Micros(micros)}
}

// ReadFlag returns the boolean, and whether the value could be read as one.
func ReadFlag(object gjson.Result, field string) (value, ok bool) {
	v, there := Present(object, field)
	if !there {
		return false, true
	}
	switch v.String() {
	case "true":
		return true, true
	case "false":
		return false, true
	default:
		return false, false
	}
}

// ReadWord reads an enum as its name with the prefix, its number, or its bare word in
// any case. names[0] stands for unspecified and for unknown values.
func ReadWord(object gjson.Result, field, prefix string, names ...string) string {
	text := NumberText(object.Get(field))
	if n, ok := ParseNumber(text, 1); ok {
		if n > 0 && n < int64(len(names)) {
			return names[n]
		}
		return names[0]
	}
	text = strings.TrimPrefix(strings.ToLower(text), prefix)
	for _, name := range names[1:] {
		if text == name {
			return name
		}
	}
	return names[0]
}

// ReadDate reads an RFC 3339 time; an absent or unusable one is the zero time.
func ReadDate(object gjson.Result, field string) time.Time {
	t, err := time.Parse(time.RFC3339, object.Get(field).String())
	if err != nil {
		return time.Time{}
	}
	return usable(t)
}

// ReadClock reads a count of units since 1970, such as seconds.
func ReadClock(object gjson.Result, field string, unit time.Duration) time.Time {
	n, ok := ParseNumber(NumberText(object.Get(field)), 1)
	if !ok {
		return time.Time{}
	}
	perSecond := int64(time.Second / unit)
	return usable(time.Unix(n/perSecond, n%perSecond*int64(unit)))
}

// usable drops times without a meaning or outside RFC 3339: those at or before the
// epoch, which a missing value looks like, and those after the year 9999 in UTC. It
// compares seconds, since the year of a far later time is not reliable.
func usable(t time.Time) time.Time {
	if t.Unix() <= 0 || t.Unix() > usage.LastSecond {
		return time.Time{}
	}
	return t.UTC()
}

// Object takes a byte order mark off an answer, and reports whether it is a JSON object.
func Object(raw []byte) ([]byte, bool) {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	return raw, bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{")) && jsoncheck.Valid(raw)
}
