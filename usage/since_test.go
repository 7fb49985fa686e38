package usage_test

import (
	"strings"
	"testing"
	"time"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/usagetest"
)

func TestParseSince(t *testing.T) {
	t.Parallel()
	berlin := usagetest.Zone(t, "Europe/Berlin")
	now := time.Date(2026, 3, 30, 12, 0, 0, 0, berlin) // the clocks changed the day before
	tests := []struct{ text, want, day string }{
		{"36h", "2026-03-28T23:00:00+01:00", "2026-03-28"},
		{"1d", "2026-03-29T12:00:00+02:00", "2026-03-30"},
		{"2d", "2026-03-28T12:00:00+01:00", "2026-03-29"},
		{"2w", "2026-03-16T12:00:00+01:00", "2026-03-17"},
		{"2026-01-02", "2026-01-02T00:00:00+01:00", "2026-01-02"},
		{"2026-01-02T23:30:00Z", "2026-01-03T00:30:00+01:00", "2026-01-03"},
		{"all", "1970-01-01T01:00:00+01:00", "1970-01-01"},
	}
	for _, tt := range tests {
		moment, day, err := usage.ParseSince(tt.text, now)
		if err != nil || moment.In(berlin).Format(time.RFC3339) != tt.want || day.In(berlin).Format(time.DateOnly) != tt.day {
			t.Errorf("%s: %v, day %v, %v", tt.text, moment.In(berlin), day, err)
		}
	}
}

func TestParseSinceRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"yesterday", "", "0d", "-3d", "99999999d", "2027-01-01", "2026-02-03T10:00:01Z"} {
		_, _, err := usage.ParseSince(text, usagetest.Noon)
		if say.Exit(err) != say.ExitUsage || !strings.HasPrefix(say.Sentence(err, ""), "--since takes ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParseSince(f *testing.F) {
	for _, text := range []string{"14d", "2w", "36h", "2026-01-02", "2026-01-02T23:30:00Z", "all", "", "d", "36525d", "876600h", "-1d", "+1d", "1_0d", "４d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		moment, day, err := usage.ParseSince(text, usagetest.Noon)
		if err != nil {
			return
		}
		if moment.After(usagetest.Noon) || moment.Year() < 1900 || day.After(usagetest.Noon) || day.Before(moment) {
			t.Errorf("%q: %v, %v", text, moment, day)
		}
		if strings.ContainsAny(text, "+_ ") && !strings.ContainsAny(text, "T:") {
			t.Errorf("%q is taken", text)
		}
	})
}
