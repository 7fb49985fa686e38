package chat_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
)

// TestCostWords: the terminal and the window tell a cost in the same words.
func TestCostWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		cost chat.Cost
		want string
	}{
		{"nothing", chat.Cost{}, "cost not told"},
		{"free", chat.Cost{Credits: new(0.0)}, "0 credits"},
		{"one", chat.Cost{Credits: new(1.0), ACU: new(1.0)}, "1 credit · 1 ACU"},
		{"nearly_one", chat.Cost{Credits: new(1.001)}, "1 credit"},
		{"parts", chat.Cost{Credits: new(0.25), ACU: new(0.3217)}, "0.25 credits · 0.3217 ACUs"},
		{
			"very_little",
			chat.Cost{Credits: new(0.004), ACU: new(0.00004), QuotaPercent: new(0.001), OverageUSD: new(0.004)},
			"<0.01 credits · <0.0001 ACUs · <0.01 % of the quota · <$0.01 of extra usage",
		},
		{"quota", chat.Cost{QuotaPercent: new(1.5), OverageUSD: new(0.0)}, "1.5 % of the quota · no extra usage"},
		{"list_price", chat.Cost{ListPrice: &chat.Price{Amount: 0.045, Currency: "USD"}}, "0.045 USD at list price"},
		{"dollars", chat.Cost{OverageUSD: new(1.5)}, "$1.50 of extra usage"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.cost.Words(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestPlus: an unknown figure adds nothing, and two currencies have no sum.
func TestPlus(t *testing.T) {
	t.Parallel()
	usd := func(n float64) chat.Cost {
		return chat.Cost{Credits: new(n), ListPrice: &chat.Price{Amount: n, Currency: "USD"}}
	}
	euro := chat.Cost{ListPrice: &chat.Price{Amount: 1, Currency: "EUR"}}
	tests := []struct {
		name       string
		a, b, want chat.Cost
	}{
		{"unknown", chat.Cost{}, usd(1), usd(1)},
		{"to_unknown", usd(1), chat.Cost{}, usd(1)},
		{"same", usd(1), usd(2), usd(3)},
		{"currencies", usd(1), euro, chat.Cost{Credits: new(1.0)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.a.Plus(tt.b)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
