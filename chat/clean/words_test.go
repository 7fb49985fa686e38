package clean

import (
	"testing"
	"time"
)

func TestAgeWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		age  time.Duration
		want string
	}{
		{-time.Hour, "less than an hour"},
		{time.Hour - 1, "less than an hour"},
		{time.Hour, "1 hour"},
		{47 * time.Hour, "47 hours"},
		{48 * time.Hour, "2 days"},
		{2000 * Day, "2,000 days"},
	}
	for _, tt := range tests {
		if got := AgeWords(tt.age); got != tt.want {
			t.Errorf("%v: got %q", tt.age, got)
		}
	}
}
