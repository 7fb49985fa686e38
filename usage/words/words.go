// Package words writes figures and sentences about them for people: the same words in a
// terminal, a menu, a page and a notification. It sets no columns and no colours.
package words

import (
	"math"
	"strconv"
	"strings"
	"time"

	humanize "github.com/dustin/go-humanize"

	"windsock/usage"
)

// Words is how a reader writes times: the zone and the clock. The zero Words is UTC
// with 24 hours.
type Words struct {
	Location   *time.Location
	TwelveHour bool
}

// Moment is a time near now: the weekday and the clock within six days, else the date,
// with its year if it could be another year's.
func (w Words) Moment(t, now time.Time) string {
	away := t.Sub(now).Abs()
	switch {
	case away <= 6*24*time.Hour:
		return w.local(t).Format("Mon " + w.clock())
	case away < 330*24*time.Hour:
		return w.local(t).Format("2 Jan")
	default:
		return w.local(t).Format("2 Jan 2006")
	}
}

// Past is a time in the past: today's without its date.
func (w Words) Past(t, now time.Time) string {
	const day = "2006-01-02"
	if w.local(t).Format(day) == w.local(now).Format(day) {
		return w.local(t).Format(w.clock())
	}
	return w.Moment(t, now)
}

// Showing says of when the figures are that a reader sees, and why there are no newer
// ones. why is a sentence; what follows its first period, the cure, is left out.
func (w Words) Showing(of, now time.Time, why string) string {
	why, _, _ = strings.Cut(why, ". ")
	return "Showing figures of " + w.Past(of, now) + " (" + strings.TrimSuffix(why, ".") + ")"
}

// Date is a time in full, with its zone.
func (w Words) Date(t time.Time) string {
	return w.local(t).Format("2 Jan 2006, " + w.clock() + " MST")
}

func (w Words) local(t time.Time) time.Time {
	if w.Location == nil {
		return t.UTC()
	}
	return t.In(w.Location)
}

func (w Words) clock() string {
	if w.TwelveHour {
		return "3:04 PM"
	}
	return "15:04"
}

// near is a duration too short for a number.
const near = 5 * time.Minute

// In is the time until something: "in 12d 4h", or "soon".
func In(d time.Duration) string {
	if d < near {
		return "soon"
	}
	return "in " + duration(d)
}

// Ago is the time since something, in whole minutes or hours: "8m ago", or "just now".
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < 24*time.Hour:
		return duration(d.Truncate(time.Minute)) + " ago"
	default:
		return duration(d.Truncate(time.Hour)) + " ago"
	}
}

// duration is the only form of a duration of minutes and more: at most two units, the
// smaller rounded up, such as "12d 4h", "15d", "3h 25m" and "8m".
func duration(d time.Duration) string {
	minutes := ceil(d, time.Minute)
	if minutes < 24*60 {
		return pair(minutes/60, "h", minutes%60, "m")
	}
	hours := ceil(d, time.Hour)
	return pair(hours/24, "d", hours%24, "h")
}

func ceil(d, unit time.Duration) int64 {
	return int64(d/unit) + int64(min(1, d%unit))
}

func pair(big int64, bigUnit string, small int64, smallUnit string) string {
	var parts []string
	if big > 0 {
		parts = append(parts, strconv.FormatInt(big, 10)+bigUnit)
	}
	if small > 0 {
		parts = append(parts, strconv.FormatInt(small, 10)+smallUnit)
	}
	return strings.Join(parts, " ")
}

// Percent is the remaining share as a whole number: never "0 %" while something is
// left, nor "100 %" while something is used. It is empty when unknown.
func Percent(m usage.Meter) string {
	share := m.RemainingPercent()
	if !share.Known() {
		return ""
	}
	whole := share.Scaled(0)
	switch {
	case whole == 0 && m.Remaining.Positive():
		return "<1 %"
	case whole == 100 && m.Used.Positive():
		return ">99 %"
	default:
		return strconv.FormatInt(whole, 10) + " %"
	}
}

// grouped writes at most two decimals and thousands separators.
func grouped(a usage.Amount) string {
	whole, fraction, cut := strings.Cut(a.Decimal(2), ".")
	digits, negative := strings.CutPrefix(whole, "-")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err == nil {
		digits = humanize.Comma(n)
	}
	if negative {
		digits = "-" + digits
	}
	if cut {
		digits += "." + fraction
	}
	return digits
}

// Figure is an amount of credits or ACU with up to two decimals.
func Figure(a usage.Amount) string {
	if a.Positive() && a.Scaled(2) == 0 {
		return "<0.01"
	}
	return grouped(a)
}

// InUnit is an amount with its unit: "272 credits", "1 ACU", "46 %", "$1.50", "19 requests".
func InUnit(a usage.Amount, unit usage.Unit) string {
	figure := Figure(a)
	switch unit {
	case usage.UnitPercent:
		return figure + " %"
	case usage.UnitUSD:
		return Dollars(a)
	case usage.UnitACU:
		return plural(figure, "ACU")
	case usage.UnitCredits:
		return plural(figure, "credit")
	case usage.UnitRequests:
		return plural(figure, "request")
	default:
		return figure
	}
}

// Of is an amount of a total, with the unit: "272 of 500 credits", "$17.85 of $350.00".
func Of(a, total usage.Amount, unit usage.Unit) string {
	if unit == usage.UnitUSD {
		return Dollars(a) + " of " + Dollars(total)
	}
	return Figure(a) + " of " + InUnit(total, unit)
}

// Money is what is left of a balance, or what was spent on demand: "$12.40 left", "$17.85
// of $350.00 used", "$17.85 used" where no limit is known.
func Money(m usage.Meter) string {
	switch {
	case m.ID != usage.OnDemand:
		return Balance(m.Remaining)
	case m.Total.Known():
		return Of(m.Used, m.Total, m.Unit) + " used"
	default:
		return InUnit(m.Used, m.Unit) + " used"
	}
}

func plural(figure, unit string) string {
	if figure == "1" {
		return figure + " " + unit
	}
	return figure + " " + unit + "s"
}

// Balance is an amount of dollars left or owed, such as "$12.40 left" and "−$7.94
// owed".
func Balance(a usage.Amount) string {
	switch {
	case !a.Known():
		return ""
	case a.Negative():
		return Dollars(a) + " owed"
	default:
		return Dollars(a) + " left"
	}
}

// Dollars is an amount in dollars, such as "$12.40" and "−$7.94"; "" when unknown.
func Dollars(a usage.Amount) string {
	switch {
	case !a.Known():
		return ""
	case (a.Positive() || a.Negative()) && a.Scaled(2) == 0:
		return "<$0.01"
	case a.Negative():
		return "−$" + cents(a)
	default:
		return "$" + cents(a)
	}
}

// Short is an amount beside a label with the unit: "453", "8 %", "$12.40".
func Short(a usage.Amount, unit usage.Unit) string {
	switch unit {
	case usage.UnitPercent, usage.UnitUSD:
		return InUnit(a, unit)
	default:
		return Figure(a)
	}
}

// cents is the amount without its sign and with two decimals.
func cents(a usage.Amount) string {
	text := strings.TrimPrefix(grouped(a), "-")
	whole, fraction, _ := strings.Cut(text, ".")
	return whole + "." + (fraction + "00")[:2]
}

// Tenths is how many of ten cells the remaining share fills: ten only when nothing is
// used, none only when nothing is left or the share is unknown.
func Tenths(m usage.Meter) int {
	full := 0
	if share, ok := m.RemainingPercent().Float(); ok {
		full = int(math.Round(share / 10))
	}
	if m.Remaining.Positive() {
		full = max(full, 1)
	}
	if m.Used.Positive() {
		full = min(full, 9)
	}
	return full
}

func bars(m usage.Meter) string {
	full := Tenths(m)
	return strings.Repeat("▰", full) + strings.Repeat("▱", 10-full)
}

// twelveHourPlaces are the territories of a locale that write the time of day
// with twelve hours. Canada does so in English alone.
var twelveHourPlaces = map[string]bool{
	"AU": true, "BD": true, "CO": true, "EG": true, "IN": true, "JO": true,
	"MY": true, "NZ": true, "PH": true, "PK": true, "SA": true, "US": true,
}

// TwelveHour is the clock of a POSIX environment: the first of LC_ALL, LC_TIME and LANG
// that is set decides. Without one it is 24 hours.
func TwelveHour(lookup func(string) (string, bool)) bool {
	for _, name := range []string{"LC_ALL", "LC_TIME", "LANG"} {
		locale, _ := lookup(name)
		if locale == "" {
			continue
		}
		locale, _, _ = strings.Cut(locale, ".")
		locale, _, _ = strings.Cut(locale, "@")
		_, place, _ := strings.Cut(locale, "_")
		return twelveHourPlaces[place] || locale == "en_CA"
	}
	return false
}
