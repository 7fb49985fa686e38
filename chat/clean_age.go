package chat

import (
	"strconv"
	"strings"
	"time"

	humanize "github.com/dustin/go-humanize"
)

// maxCleanAge is a hundred years.
const maxCleanAge = 36_525 * cleanDay

// ParseAge reads 14d, 36h, or a plain number of days.
func ParseAge(text string) (time.Duration, bool) {
	number, unit := text, cleanDay
	if rest, ok := strings.CutSuffix(text, "h"); ok {
		number, unit = rest, time.Hour
	} else if rest, ok := strings.CutSuffix(text, "d"); ok {
		number = rest
	}
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil || n > uint64(maxCleanAge/unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

// ageWords is an age for people: days, or hours below two of them.
func ageWords(age time.Duration) string {
	switch {
	case age < time.Hour:
		return "less than an hour"
	case age < 2*cleanDay:
		return counted(int(age/time.Hour), "hour")
	default:
		return counted(int(age/cleanDay), "day")
	}
}

// counted is "1 hour" or "2 hours".
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return humanize.Comma(int64(n)) + " " + noun
}

// sizeWords is a size for people.
func sizeWords(bytes int64) string {
	return humanize.Bytes(uint64(max(bytes, 0)))
}
