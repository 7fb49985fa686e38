package usage

import (
	"strconv"
	"time"

	"windsock/probe/say"
)

// SinceForms is what [ParseSince] reads, for the help of a flag.
const SinceForms = "14d, 2w or 36h ago, a date, RFC 3339, or all"

// MaxDays is the furthest that [ParseSince] goes back: a hundred years.
const MaxDays = 36_525

// ParseSince reads where what a command shows begins: 14d, 2w, 36h, a date, a time in
// RFC 3339, or all, which is the epoch. day is a moment on the first day to show:
// fourteen days are today and the thirteen before. For anything else and for a future
// time it fails with a sentence about --since.
func ParseSince(text string, now time.Time) (moment, day time.Time, err error) {
	unfit := say.Usage("--since takes a time in the past: 14d, 2w or 36h, a date such as 2026-01-02, a time in RFC 3339, or all.")
	if text == "all" {
		return time.Unix(0, 0), time.Unix(0, 0), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		t, err := time.ParseInLocation(layout, text, now.Location())
		switch {
		case err != nil:
		case t.Unix() <= 0 || t.Unix() > LastSecond || t.After(now):
			return moment, day, unfit
		default:
			return t, t, nil
		}
	}
	if text == "" {
		return moment, day, unfit
	}
	hours := map[byte]int{'h': 1, 'd': 24, 'w': 7 * 24}[text[len(text)-1]]
	n, err := strconv.ParseUint(text[:len(text)-1], 10, 32)
	if err != nil || n == 0 || hours == 0 || int64(n)*int64(hours) > MaxDays*24 {
		return moment, day, unfit
	}
	if hours == 1 {
		moment = now.Add(-time.Duration(n) * time.Hour)
		return moment, moment, nil
	}
	moment = now.AddDate(0, 0, -int(n)*hours/24)
	return moment, moment.AddDate(0, 0, 1), nil
}
