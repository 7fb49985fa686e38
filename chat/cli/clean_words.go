package cli

import (
	"time"

	"windsock/chat/clean"

	"github.com/dustin/go-humanize"
)

// ageWords is an age for people: days, or hours below two of them.
func ageWords(age time.Duration) string {
	switch {
	case age < time.Hour:
		return "less than an hour"
	case age < 2*clean.Day:
		return counted(int(age/time.Hour), "hour")
	default:
		return counted(int(age/clean.Day), "day")
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
