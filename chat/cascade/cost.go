package cascade

import (
	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/chat/models"
)

// readCost reads the metadata of a step. The wire omits a zero that has no presence,
// so a missing value is unknown.
func readCost(metadata gjson.Result) chat.Cost {
	return chat.Cost{
		Credits:      share(metadata.Get("promptCreditsUsed"), 100),
		ACU:          share(metadata.Get("acuCost"), 1),
		QuotaPercent: share(metadata.Get("quotaCostBasisPoints"), 100),
		OverageUSD:   share(metadata.Get("overageCostCents"), 100),
	}
}

// share reads a figure of the wire in its unit. It is nil if the figure is missing or
// cannot be a cost.
func share(v gjson.Result, unit float64) *float64 {
	if n, ok := models.Number(v); ok && n >= 0 {
		n /= unit
		return &n
	}
	return nil
}
