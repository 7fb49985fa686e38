package chat

import (
	"math"
	"strconv"
	"strings"
)

// Cost is a prompt's cost as the program reports it (PROTOCOL.md 7.5, 11.5). Unreported
// values are nil.
type Cost struct {
	Credits      *float64 `json:"credits"`       // of prompt credits
	ACU          *float64 `json:"acu"`           // agent compute units
	QuotaPercent *float64 `json:"quota_percent"` // of the window's quota
	OverageUSD   *float64 `json:"overage_usd"`
	// ListPrice is what the tokens cost in the model's price list, which is not what a
	// plan is charged. Agents tell it; Cascade never does (PROTOCOL.md 11.5).
	ListPrice *Price `json:"list_price,omitempty"`
}

// Price is an amount of money.
type Price struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"` // such as "USD"
}

// Words words the cost in one line.
func (c Cost) Words() string {
	var words []string
	add := func(figure *float64, write func(float64) string) {
		if figure != nil {
			words = append(words, write(*figure))
		}
	}
	add(c.Credits, func(n float64) string { return costUnits(costNumber(n, 2), "credit") })
	add(c.ACU, func(n float64) string { return costUnits(costNumber(n, 4), "ACU") })
	add(c.QuotaPercent, func(n float64) string { return costNumber(n, 2) + " % of the quota" })
	add(c.OverageUSD, func(n float64) string {
		switch {
		case n == 0:
			return "no extra usage"
		case n < 0.01:
			return "<$0.01 of extra usage"
		}
		return "$" + strconv.FormatFloat(n, 'f', 2, 64) + " of extra usage"
	})
	if p := c.ListPrice; p != nil {
		words = append(words, costNumber(p.Amount, 4)+" "+p.Currency+" at list price")
	}
	if words == nil {
		return "cost not told"
	}
	return strings.Join(words, " · ")
}

// costNumber writes a figure with its digits, up to some. A figure that rounds to zero
// is not shown as zero.
func costNumber(figure float64, digits int) string {
	least := math.Pow10(-digits)
	if figure > 0 && figure < least {
		return "<" + strconv.FormatFloat(least, 'f', -1, 64)
	}
	number := strconv.FormatFloat(figure, 'f', digits, 64)
	return strings.TrimRight(strings.TrimRight(number, "0"), ".")
}

func costUnits(number, unit string) string {
	if number == "1" {
		return number + " " + unit
	}
	return number + " " + unit + "s"
}

// Plus adds two costs. A value that neither has stays unknown.
func (c Cost) Plus(other Cost) Cost {
	return Cost{
		Credits:      sum(c.Credits, other.Credits),
		ACU:          sum(c.ACU, other.ACU),
		QuotaPercent: sum(c.QuotaPercent, other.QuotaPercent),
		OverageUSD:   sum(c.OverageUSD, other.OverageUSD),
		ListPrice:    c.ListPrice.plus(other.ListPrice),
	}
}

// plus adds two prices. There is no sum of two currencies.
func (p *Price) plus(other *Price) *Price {
	switch {
	case p == nil:
		return other
	case other == nil:
		return p
	case p.Currency != other.Currency:
		return nil
	}
	return &Price{p.Amount + other.Amount, p.Currency}
}

func sum(a, b *float64) *float64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	total := *a + *b
	return &total
}
