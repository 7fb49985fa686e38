package clean

import (
	"testing"
	"time"
)

func TestParseAge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want time.Duration
		ok   bool
	}{
		{"14d", 14 * Day, true},
		{"36h", 36 * time.Hour, true},
		{"14", 14 * Day, true},
		{"0", 0, true},
		{"0h", 0, true},
		{"007", 7 * Day, true},
		{"36525d", maxCleanAge, true},
		{"876600h", maxCleanAge, true},
		{"36526", 0, false},
		{"876601h", 0, false},
		{"99999999999999999999d", 0, false},
		{"", 0, false},
		{"d", 0, false},
		{"h", 0, false},
		{"-1", 0, false},
		{"+1", 0, false},
		{"1.5d", 0, false},
		{"1_0", 0, false},
		{"0x10", 0, false},
		{"14 d", 0, false},
		{" 14", 0, false},
		{"14D", 0, false},
		{"2w", 0, false},
		{"14dd", 0, false},
		{"1d12h", 0, false},
		{"30m", 0, false},
	}
	for _, tt := range tests {
		if got, ok := ParseAge(tt.text); got != tt.want || ok != tt.ok {
			t.Errorf("%q: got %v, %t", tt.text, got, ok)
		}
	}
}

func FuzzParseAge(f *testing.F) {
	for _, seed := range []string{"14d", "36h", "14", "", "-1d", "36525", "4294967295h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		age, ok := ParseAge(text)
		if age < 0 || age > maxCleanAge || age%time.Hour != 0 || !ok && age != 0 {
			t.Errorf("%q: got %v, %t", text, age, ok)
		}
	})
}
