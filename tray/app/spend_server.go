package app

import (
	"context"
	"math"

	"windsock/chat"
	"windsock/chat/cascade"
	"windsock/usage"
	"windsock/usage/spend"
)

// unopened is a server that cannot be asked.
type unopened struct{ err error }

func (u unopened) Cascades(context.Context) ([]spend.Cascade, error) { return nil, u.err }

func (u unopened) Steps(context.Context, string, int) ([]spend.Step, error) { return nil, u.err }

// spendServer passes what chat/cascade reads to usage/spend.
type spendServer struct{ client *cascade.Client }

func (s spendServer) Cascades(ctx context.Context) ([]spend.Cascade, error) {
	listed, err := s.client.Listed(ctx)
	all := make([]spend.Cascade, len(listed))
	for i, l := range listed {
		all[i] = spend.Cascade(l)
	}
	return all, err
}

func (s spendServer) Steps(ctx context.Context, id string, from int) ([]spend.Step, error) {
	spent, err := s.client.Spent(ctx, id, from)
	all := make([]spend.Step, len(spent))
	for i, one := range spent {
		all[i] = spend.Step{
			Index: one.Index, Created: one.Created, At: one.At, Request: one.Request,
			Prompt: one.Prompt, Answer: one.Answer, Open: one.Open, Model: one.Model,
			Costs: costs(one.Cost), Tokens: spend.Tokens{Input: one.Input, Output: one.Output, Cached: one.Cached},
		}
	}
	return all, err
}

func costs(c chat.Cost) spend.Costs {
	return spend.Costs{Credits: amount(c.Credits), ACU: amount(c.ACU), QuotaPercent: amount(c.QuotaPercent), OverageUSD: amount(c.OverageUSD)}
}

// amount is a cost; one that is beyond all that anything costs is unknown.
func amount(n *float64) usage.Amount {
	const most = 1e9
	if n == nil || *n > most {
		return usage.Amount{}
	}
	return usage.Micros(int64(math.Round(*n * usage.One)))
}
