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

// readUsage reads how many tokens an answer was, from its metadata. It is nil where the
// server does not tell: no answer was made of no tokens.
func readUsage(metadata gjson.Result) *chat.Tokens {
	t := readCounts(metadata.Get("modelUsage"))
	if t.Input == 0 || t.Output == 0 {
		return nil
	}
	return &t
}

// readCounts reads a modelUsage, in which a zero is left out (PROTOCOL.md 7.5). What a
// model read anew, read from its cache and wrote to it are three parts of the input.
func readCounts(usage gjson.Result) chat.Tokens {
	count := func(name string) int64 {
		n, _ := readCount(usage.Get(name))
		return n
	}
	cached := count("cacheReadTokens")
	return chat.Tokens{Input: count("inputTokens") + count("cacheWriteTokens") + cached, Output: count("outputTokens"), Cached: &cached}
}

// readCount reads a number of tokens; told is false if there is none, or it cannot be
// one.
func readCount(v gjson.Result) (n int64, told bool) {
	const most = 1 << 50 // far more than there are, and no sum overflows
	f, ok := models.Number(v)
	if !ok || f != math.Trunc(f) || f >= most {
		return 0, false
	}
	return int64(f), true
}
