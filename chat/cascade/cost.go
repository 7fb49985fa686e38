package cascade

import (
	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/chat/models"
)

// readCost reads the metadata of a step. A zero without presence is left out on
// the wire, so what is missing is not known.
func readCost(metadata gjson.Result) chat.Cost {
	return chat.Cost{
		Credits:      share(metadata.Get("promptCreditsUsed"), 100),
		ACU:          share(metadata.Get("acuCost"), 1),
		QuotaPercent: share(metadata.Get("quotaCostBasisPoints"), 100),
		OverageUSD:   share(metadata.Get("overageCostCents"), 100),
	}
}

// share is a figure of the wire in its unit; nil where there is none, or none
// that a cost can be.
func share(v gjson.Result, unit float64) *float64 {
	if n, ok := models.Number(v); ok && n >= 0 {
		n /= unit
		return &n
	}
	return nil
}
