package usage

import (
	"math"
	"testing"
)

func TestAmountRounds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		amount Amount
		places int
		want   string
	}{
		{Micros(0), 2, "0"},
		{Micros(24_994_500_000), 2, "24994.5"},
		{Micros(5_000), 2, "0.01"},
		{Micros(4_999), 2, "0"},
		{Micros(-5_000), 2, "-0.01"},
		{Micros(-4_999), 2, "0"},
		{Micros(-1_500_000), 0, "-2"},
		{Micros(90_650_000), 1, "90.7"},
		{Micros(155_422), 4, "0.1554"},
		{Micros(155_450), 4, "0.1555"},
		{Micros(1), 6, "0.000001"},
		{Micros(100_000_000), 1, "100"},
		{Micros(math.MaxInt64), 2, "9223372036854.78"},
		{Micros(math.MinInt64), 2, "-9223372036854.78"},
		{Micros(math.MinInt64), 6, "-9223372036854.775808"},
	}
	for _, tt := range tests {
		if got := tt.amount.Decimal(tt.places); got != tt.want {
			t.Errorf("%s with %d decimals is %s, want %s", tt.amount, tt.places, got, tt.want)
		}
	}
}

func TestPercentOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		part, whole int64
		want        string
	}{
		{453, 500, "90.6"},
		{1, 3, "33.333333"},
		{0, 7, "0"},
		{math.MaxInt64, math.MaxInt64, "100"},
		{math.MaxInt64 - 1, math.MaxInt64, "99.999999"},
	}
	for _, tt := range tests {
		if got := Micros(tt.part).PercentOf(Micros(tt.whole)).String(); got != tt.want {
			t.Errorf("%d of %d is %s %%, want %s", tt.part, tt.whole, got, tt.want)
		}
	}
}
