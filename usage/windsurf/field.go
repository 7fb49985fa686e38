package windsurf

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"windsock/usage"
)

// Scales convert a number of the wire to millionths: credits are sent in hundredths,
// the balance in micro-dollars (PROTOCOL.md 6.2, 6.5).
const (
	scaleMicros     = 1
	scaleHundredths = usage.One / 100
	scaleWhole      = usage.One
)

// numberGrammar is JSON's own, for numbers that come as strings: no hex, no
// NaN, no sign before a positive one, no blanks.
var numberGrammar = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// parseNumber reads a decimal times scale, truncated. It rejects a result that does not
// fit an int64.
func parseNumber(text string, scale int64) (int64, bool) {
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

// figure is a number field: absent, known, or present but unreadable.
type figure struct {
	field  string
	there  bool
	amount usage.Amount
}

func (f figure) unreadable() bool { return f.there && !f.amount.Known() }

// orZero is the amount, or zero when it is absent or negative: the wire omits zeros,
// and there is no negative use.
func (f figure) orZero() usage.Amount {
	if f.amount.Positive() {
		return f.amount
	}
	return usage.Micros(0)
}

// present returns the field, and false when it is absent or null.
func present(object gjson.Result, field string) (gjson.Result, bool) {
	v := object.Get(field)
	return v, v.Type != gjson.Null
}

// inner returns the object in a field, or an empty Result.
func inner(object gjson.Result, field string) gjson.Result {
	if v := object.Get(field); v.IsObject() {
		return v
	}
	return gjson.Result{}
}

// numberText is the text of a number, from a JSON number or a string.
func numberText(v gjson.Result) string {
	switch v.Type {
	case gjson.Number:
		return v.Raw
	case gjson.String:
		return v.Str
	default:
		return ""
	}
}

func readFigure(object gjson.Result, field string, scale int64) figure {
	v, there := present(object, field)
	if !there {
		return figure{field: field}
	}
	micros, ok := parseNumber(numberText(v), scale)
	if !ok {
		return figure{field: field, there: true}
	}
	return figure{field: field, there: true, amount: usage.Micros(micros)}
}

// readFlag returns the boolean, and whether the value could be read as one.
func readFlag(object gjson.Result, field string) (value, ok bool) {
	v, there := present(object, field)
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

// readWord reads an enum as its name with the prefix, its number, or its bare word in
// any case. names[0] stands for unspecified and for unknown values.
func readWord(object gjson.Result, field, prefix string, names ...string) string {
	text := numberText(object.Get(field))
	if n, ok := parseNumber(text, 1); ok {
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

// readDate reads an RFC 3339 time; an absent or unusable one is the zero time.
func readDate(object gjson.Result, field string) time.Time {
	t, err := time.Parse(time.RFC3339, object.Get(field).String())
	if err != nil {
		return time.Time{}
	}
	return usable(t)
}

// readClock reads a count of units since 1970, such as seconds.
func readClock(object gjson.Result, field string, unit time.Duration) time.Time {
	n, ok := parseNumber(numberText(object.Get(field)), 1)
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
