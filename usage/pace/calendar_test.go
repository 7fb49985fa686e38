package pace

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/usagetest"
)

func moment(tb testing.TB, text string) time.Time {
	tb.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		tb.Fatal(err)
	}
	return at
}

func TestMidnightAfter(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, zone, after, want string }{
		{"plain", "Europe/Berlin", "2026-02-03T10:00:00Z", "2026-02-03T23:00:00Z"},
		{"at_midnight", "Europe/Berlin", "2026-02-03T23:00:00Z", "2026-02-04T23:00:00Z"},
		{"before_midnight", "Europe/Berlin", "2026-02-03T22:59:59.999999999Z", "2026-02-03T23:00:00Z"},
		{"short_day", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		{"long_day", "Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		{"short_day_west", "America/New_York", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"},
		{"long_day_west", "America/New_York", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"},
		{"skipped_midnight_west", "America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-04T03:00:00Z"},
		{"after_skipped_midnight_west", "America/Sao_Paulo", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"},
		{"last_hour_twice_west", "America/Sao_Paulo", "2018-02-17T12:00:00Z", "2018-02-18T03:00:00Z"},
		{"skipped_midnight_east", "Africa/Cairo", "2026-04-23T12:00:00Z", "2026-04-23T22:00:00Z"},
		{"last_hour_twice_east", "Africa/Cairo", "2026-10-29T12:00:00Z", "2026-10-29T22:00:00Z"},
		{"first_hour_twice_west", "America/Havana", "2026-10-31T12:00:00Z", "2026-11-01T04:00:00Z"},
		{"first_hour_twice_east", "Asia/Amman", "2021-10-28T12:00:00Z", "2021-10-28T21:00:00Z"},
		{"day_left_out", "Pacific/Apia", "2011-12-29T20:00:00Z", "2011-12-30T10:00:00Z"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := midnightAfter(moment(t, tt.after), usagetest.Zone(t, tt.zone))
			if want := moment(t, tt.want); !got.Equal(want) {
				t.Errorf("got %v, want %v", got.UTC(), want)
			}
		})
	}
}

// In any zone and year, days follow each other without a gap, and each moment of a day
// has its date.
func TestMidnightAfterWalks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"UTC", "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/Sao_Paulo", "America/Havana", "Africa/Cairo",
		"Asia/Amman", "Asia/Beirut", "Asia/Tehran", "Asia/Kathmandu", "Australia/Lord_Howe", "Atlantic/Azores", "America/Asuncion",
	} {
		loc := usagetest.Zone(t, name)
		day := time.Date(2005, 1, 1, 0, 0, 0, 0, loc)
		for day.Year() < 2027 {
			next := midnightAfter(day, loc)
			if length := next.Sub(day); length < 23*time.Hour || length > 25*time.Hour {
				t.Fatalf("%s: the day of %v has %v", name, day, length)
			}
			for at := day; at.Before(next); at = at.Add(30 * time.Minute) {
				if at.In(loc).YearDay() != day.In(loc).YearDay() {
					t.Fatalf("%s: %v is of the day of %v", name, at.In(loc), day)
				}
			}
			if last := next.Add(-1).In(loc); last.YearDay() != day.In(loc).YearDay() || next.In(loc).YearDay() == last.YearDay() {
				t.Fatalf("%s: the day of %v ends at %v", name, day, next)
			}
			day = next.In(loc)
		}
	}
}

func TestCalendarCountsWorkDays(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, zone, start, end string
		days                   []time.Weekday
		want                   time.Duration
	}{
		{"every_day", "Europe/Berlin", "2026-03-27T12:00:00Z", "2026-03-30T12:00:00Z", nil, 72 * time.Hour},
		{"every_day_named", "Europe/Berlin", "2026-03-27T12:00:00Z", "2026-03-30T12:00:00Z", append(usagetest.OfficeDays, 0, 6), 72 * time.Hour},
		// Friday from 13:00 local time and Monday until 14:00.
		{"weekend_with_change_over", "Europe/Berlin", "2026-03-27T12:00:00Z", "2026-03-30T12:00:00Z", usagetest.OfficeDays, 25 * time.Hour},
		{"weekend_with_change_back", "Europe/Berlin", "2026-10-23T12:00:00Z", "2026-10-26T12:00:00Z", usagetest.OfficeDays, 23 * time.Hour},
		{"short_sunday", "Europe/Berlin", "2026-03-26T12:00:00Z", "2026-04-01T12:00:00Z", []time.Weekday{0, 6}, 47 * time.Hour},
		{"long_sunday", "America/New_York", "2026-10-29T12:00:00Z", "2026-11-04T12:00:00Z", []time.Weekday{0, 6}, 49 * time.Hour},
		{"skipped_midnight", "America/Sao_Paulo", "2018-11-01T12:00:00Z", "2018-11-07T12:00:00Z", []time.Weekday{0, 6}, 47 * time.Hour},
		{"utc_by_default", "", "2026-02-06T00:00:00Z", "2026-02-10T00:00:00Z", usagetest.OfficeDays, 48 * time.Hour},
		{"none", "UTC", "2026-02-07T00:00:00Z", "2026-02-08T00:00:00Z", usagetest.OfficeDays, 0},
		{"too_long_to_count", "UTC", "2026-01-01T00:00:00Z", "2036-01-01T00:00:00Z", usagetest.OfficeDays, 3652 * 24 * time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Options{WorkDays: tt.days}
			if tt.zone != "" {
				o.Location = usagetest.Zone(t, tt.zone)
			}
			got := newCalendar(usage.Window{Start: moment(t, tt.start), End: moment(t, tt.end)}, o)
			if got.total != tt.want {
				t.Errorf("got %v, want %v", got.total, tt.want)
			}
		})
	}
}

func TestCalendarWalk(t *testing.T) {
	t.Parallel()
	berlin := usagetest.Zone(t, "Europe/Berlin")
	// A week from Wednesday noon; Friday ends at 23:00 UTC, and Monday begins
	// at 22:00, for the clocks are changed in between.
	c := newCalendar(
		usage.Window{Start: moment(t, "2026-03-25T12:00:00Z"), End: moment(t, "2026-04-01T12:00:00Z")},
		Options{WorkDays: usagetest.OfficeDays, Location: berlin},
	)
	tests := []struct {
		worked time.Duration
		at     string
	}{
		{0, "2026-03-25T12:00:00Z"},
		{time.Hour, "2026-03-25T13:00:00Z"},
		{59*time.Hour - 1, "2026-03-27T22:59:59.999999999Z"},
		{59 * time.Hour, "2026-03-27T23:00:00Z"},
		{59*time.Hour + 1, "2026-03-29T22:00:00.000000001Z"},
		{60 * time.Hour, "2026-03-29T23:00:00Z"},
		{121 * time.Hour, "2026-04-01T12:00:00Z"},
	}
	for _, tt := range tests {
		if got := c.at(tt.worked); !got.Equal(moment(t, tt.at)) {
			t.Errorf("%v are worked at %v, want %v", tt.worked, got.UTC(), tt.at)
		}
		if got := c.worked(moment(t, tt.at)); got != tt.worked {
			t.Errorf("at %v %v are worked, want %v", tt.at, got, tt.worked)
		}
	}
	for at, want := range map[string]time.Duration{
		"2026-03-28T10:00:00Z": 59 * time.Hour, "2026-03-25T11:00:00Z": 0, "2026-05-01T00:00:00Z": 121 * time.Hour,
	} {
		if got := c.worked(moment(t, at)); got != want {
			t.Errorf("at %v %v are worked, want %v", at, got, want)
		}
	}
	if got := []time.Time{c.at(-time.Hour).UTC(), c.at(1000 * time.Hour).UTC()}; !slices.EqualFunc(got,
		[]time.Time{moment(t, "2026-03-25T12:00:00Z"), moment(t, "2026-04-01T12:00:00Z")}, time.Time.Equal) {
		t.Errorf("beyond the window: %s", cmp.Diff(nil, got))
	}
}
