package chat

import "github.com/tidwall/gjson"

// Cost is what a prompt cost by the server's own account (PROTOCOL.md 7.5). What
// it does not say is nil.
type Cost struct {
	Credits      *float64 `json:"credits"`       // of prompt credits
	ACU          *float64 `json:"acu"`           // agent compute units
	QuotaPercent *float64 `json:"quota_percent"` // of the window's quota
	OverageUSD   *float64 `json:"overage_usd"`
}

// readCost reads the metadata of a step. A zero without presence is left out on
// the wire, so what is missing is not known.
func readCost(metadata gjson.Result) Cost {
	return Cost{
		Credits:      share(metadata.Get("promptCreditsUsed"), 100),
		ACU:          share(metadata.Get("acuCost"), 1),
		QuotaPercent: share(metadata.Get("quotaCostBasisPoints"), 100),
		OverageUSD:   share(metadata.Get("overageCostCents"), 100),
	}
}

// share is a figure of the wire in its unit; nil where there is none, or none
// that a cost can be.
func share(v gjson.Result, unit float64) *float64 {
	if n, ok := modelNumber(v); ok && n >= 0 {
		n /= unit
		return &n
	}
	return nil
}

func (c Cost) plus(other Cost) Cost {
	return Cost{
		Credits:      sum(c.Credits, other.Credits),
		ACU:          sum(c.ACU, other.ACU),
		QuotaPercent: sum(c.QuotaPercent, other.QuotaPercent),
		OverageUSD:   sum(c.OverageUSD, other.OverageUSD),
	}
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
