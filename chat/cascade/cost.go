package cascade

import (
	"math"

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

// readUsage reads how many tokens a step was, from its metadata (PROTOCOL.md 7.5). It is
// nil where the server does not tell: no answer was made of no tokens. What a model read
// anew, read from its cache and wrote to it are three parts of the input.
func readUsage(metadata gjson.Result) *chat.Tokens {
	usage := metadata.Get("modelUsage")
	count := func(name string) (n int64) {
		const most = 1 << 50 // far more than there are, and no sum overflows
		if v, ok := models.Number(usage.Get(name)); ok && v == math.Trunc(v) && v < most {
			n = int64(v)
		}
		return n
	}
	cached := count("cacheReadTokens")
	t := chat.Tokens{Input: count("inputTokens") + count("cacheWriteTokens") + cached, Output: count("outputTokens"), Cached: &cached}
	if t.Input == 0 || t.Output == 0 {
		return nil
	}
	return &t
}
