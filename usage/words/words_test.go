package words

import (
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/usagetest"
)

// A duration of minutes and more has one form everywhere.
func TestDurations(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	type said struct{ in, ago string }
	for d, want := range map[time.Duration]said{
		-time.Hour:                       {"soon", "just now"},
		0:                                {"soon", "just now"},
		time.Minute - 1:                  {"soon", "just now"},
		5*time.Minute - 1:                {"soon", "4m ago"},
		5 * time.Minute:                  {"in 5m", "5m ago"},
		8*time.Minute - time.Second:      {"in 8m", "7m ago"},
		59*time.Minute + time.Second:     {"in 1h", "59m ago"},
		time.Hour:                        {"in 1h", "1h ago"},
		3*time.Hour + 24*time.Minute:     {"in 3h 24m", "3h 24m ago"},
		3*time.Hour + 24*time.Minute + 1: {"in 3h 25m", "3h 24m ago"},
		day - time.Second:                {"in 1d", "23h 59m ago"},
		day + time.Second:                {"in 1d 1h", "1d ago"},
		12*day + 3*time.Hour + 1:         {"in 12d 4h", "12d 3h ago"},
		14*day + 23*time.Hour + 1:        {"in 15d", "14d 23h ago"},
		15 * day:                         {"in 15d", "15d ago"},
	} {
		if got := (said{In(d), Ago(d)}); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestMoment(t *testing.T) {
	t.Parallel()
	cet := time.FixedZone("CET", 3600)
	tests := []struct {
		in    time.Duration
		words Words
		want  string
	}{
		{4 * time.Hour, Words{}, "Tue 14:00"},
		{4 * time.Hour, Words{Location: cet}, "Tue 15:00"},
		{4 * time.Hour, Words{TwelveHour: true}, "Tue 2:00 PM"},
		{14 * time.Hour, Words{Location: cet, TwelveHour: true}, "Wed 1:00 AM"},
		{6 * 24 * time.Hour, Words{}, "Mon 10:00"},
		{6*24*time.Hour + 1, Words{}, "9 Feb"},
		{6*24*time.Hour + 14*time.Hour - 1, Words{Location: cet}, "10 Feb"},
		{400 * 24 * time.Hour, Words{}, "10 Mar 2027"},
	}
	for _, tt := range tests {
		if got := tt.words.Moment(usagetest.Noon.Add(tt.in), usagetest.Noon); got != tt.want {
			t.Errorf("%v on is %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestPercentWords(t *testing.T) {
	t.Parallel()
	for used, want := range map[int64]string{
		0: "100 %", 1: ">99 %", 4_999_999: ">99 %", 5_000_001: "99 %", 500_000_000: "50 %",
		994_999_999: "1 %", 995_000_001: "<1 %", 999_999_999: "<1 %", 1_000_000_000: "0 %", 2_000_000_000: "0 %",
	} {
		m := usage.Meter{}.Of(usage.Micros(used), usage.Micros(1_000_000_000))
		if got := Percent(m); got != want {
			t.Errorf("%d used of 1e9 is %q, want %q", used, got, want)
		}
	}
	if got := Percent((usage.Meter{Used: usage.Micros(1)})); got != "" {
		t.Errorf("without a total: %q", got)
	}
}

func TestBar(t *testing.T) {
	t.Parallel()
	for used, want := range map[int64]string{
		0: "▰▰▰▰▰▰▰▰▰▰", 1: "▰▰▰▰▰▰▰▰▰▱", 500: "▰▰▰▰▰▱▱▱▱▱", 999: "▰▱▱▱▱▱▱▱▱▱", 1000: "▱▱▱▱▱▱▱▱▱▱",
	} {
		if got := bars((usage.Meter{}).Of(usage.Micros(used), usage.Micros(1000))); got != want {
			t.Errorf("%d of 1000 used is %s, want %s", used, got, want)
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	for micros, want := range map[int64]string{
		0: "$0.00 left", 964_220_000: "$964.22 left", 12_400_000: "$12.40 left", 1_234_567_000_000: "$1,234,567.00 left",
		4_000: "<$0.01 left", -7_940_000: "−$7.94 owed", -4_000: "<$0.01 owed", -1_234_500_000: "−$1,234.50 owed",
	} {
		if got := Balance(usage.Micros(micros)); got != want {
			t.Errorf("%d micro-dollars are %q, want %q", micros, got, want)
		}
	}
}

func TestTwelveHour(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		env  map[string]string
		want bool
	}{
		{"nothing_set", nil, false},
		{"c", map[string]string{"LANG": "C.UTF-8"}, false},
		{"america", map[string]string{"LANG": "en_US.UTF-8"}, true},
		{"britain", map[string]string{"LANG": "en_GB.UTF-8"}, false},
		{"germany_with_modifier", map[string]string{"LANG": "de_DE@euro"}, false},
		{"india_without_charset", map[string]string{"LANG": "hi_IN"}, true},
		{"english_canada", map[string]string{"LANG": "en_CA.UTF-8"}, true},
		{"french_canada", map[string]string{"LANG": "fr_CA.UTF-8"}, false},
		{"time_before_lang", map[string]string{"LANG": "en_US.UTF-8", "LC_TIME": "en_DK.UTF-8"}, false},
		{"all_before_time", map[string]string{"LC_ALL": "en_US", "LC_TIME": "en_DK.UTF-8"}, true},
		{"empty_is_unset", map[string]string{"LC_ALL": "", "LANG": "en_US"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := TwelveHour(func(name string) (string, bool) { v, ok := tt.env[name]; return v, ok })
			if got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestInUnit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		micros int64
		unit   usage.Unit
		want   string
	}{
		{1e6, usage.UnitCredits, "1 credit"},
		{1234.5e6, usage.UnitCredits, "1,234.5 credits"},
		{1e6, usage.UnitACU, "1 ACU"},
		{1, usage.UnitACU, "<0.01 ACUs"},
		{45.6e6, usage.UnitPercent, "45.6 %"},
		{1.5e6, usage.UnitUSD, "$1.50"},
		{1e6, usage.UnitRequests, "1 request"},
		{1234e6, usage.UnitRequests, "1,234 requests"},
	}
	for _, tt := range tests {
		if got := InUnit(usage.Micros(tt.micros), tt.unit); got != tt.want {
			t.Errorf("%d %s is %q, want %q", tt.micros, tt.unit, got, tt.want)
		}
	}
}
