package usage

import (
	"math/big"
	"strconv"
	"strings"
)

// One is a whole credit, per cent, ACU or dollar in millionths.
const One = 1_000_000

// Amount is a figure that may be unknown: credits, per cent, ACU or dollars.
// It is a fixed-point number of millionths, so that sums and percentages carry
// no binary noise and the server's int64 of micro-dollars fits without loss.
// The zero Amount is unknown, which is not the same as Micros(0).
type Amount struct {
	micros int64
	known  bool
}

// Micros is the known amount of n millionths.
func Micros(n int64) Amount { return Amount{micros: n, known: true} }

// Known reports whether the figure is known.
func (a Amount) Known() bool { return a.known }

// Micros returns the millionths, and false for an unknown figure.
func (a Amount) Micros() (int64, bool) { return a.micros, a.known }

// Millionths returns the millionths, 0 for an unknown figure.
func (a Amount) Millionths() int64 { return a.micros }

// Float returns the nearest float64, and false for an unknown figure.
func (a Amount) Float() (float64, bool) { return float64(a.micros) / One, a.known }

// String is the figure with up to six decimals, or "unknown".
func (a Amount) String() string {
	if !a.known {
		return "unknown"
	}
	return a.Decimal(6)
}

// Equal lets go-cmp compare amounts.
func (a Amount) Equal(b Amount) bool { return a == b }

// Positive reports whether the figure is known and above zero.
func (a Amount) Positive() bool { return a.known && a.micros > 0 }

// Negative reports whether the figure is known and below zero.
func (a Amount) Negative() bool { return a.known && a.micros < 0 }

// Scaled is the amount in units of 10^-places, rounded half away from zero. Amounts
// are truncated when they are read, so this is the only rounding.
func (a Amount) Scaled(places int) int64 {
	div := int64(1)
	for range 6 - places {
		div *= 10
	}
	q, r := a.micros/div, a.micros%div
	switch {
	case r > 0 && r >= div-r:
		q++
	case r < 0 && -r >= div+r:
		q--
	}
	return q
}

// Decimal writes the amount with at most this many decimals, zeros trimmed.
func (a Amount) Decimal(places int) string {
	div := int64(1)
	for range places {
		div *= 10
	}
	scaled := a.Scaled(places)
	text := strconv.FormatInt(scaled/div, 10)
	if scaled < 0 && scaled/div == 0 {
		text = "-" + text
	}
	fraction := max(scaled%div, -(scaled % div))
	if fraction == 0 {
		return text
	}
	digits := strconv.FormatInt(fraction+div, 10)[1:]
	return text + "." + strings.TrimRight(digits, "0")
}

// Minus is a − b; both are known and not negative.
func (a Amount) Minus(b Amount) Amount { return Micros(a.micros - b.micros) }

// PercentOf is 100·a/whole truncated to six decimals, for 0 ≤ a ≤ whole and whole >
// 0. The product needs more than 64 bits.
func (a Amount) PercentOf(whole Amount) Amount {
	product := new(big.Int).Mul(big.NewInt(a.micros), big.NewInt(100*One))
	return Micros(product.Quo(product, big.NewInt(whole.micros)).Int64())
}
