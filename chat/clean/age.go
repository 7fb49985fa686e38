package clean

import (
	"strconv"
	"strings"
	"time"
)

// maxCleanAge is a hundred years.
const maxCleanAge = 36_525 * Day

// ParseAge reads 14d, 36h, or a plain number of days.
func ParseAge(text string) (time.Duration, bool) {
	number, unit := text, Day
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
