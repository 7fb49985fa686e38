package spend

import "windsock/usage"

// PerPrompt is the average cost of a prompt; unknown without prompts.
func (f Figures) PerPrompt(unit usage.Unit) usage.Amount { return average(f.In(unit), f.Prompts) }

// PerDay is the average cost of a day on which there was something.
func (r Row) PerDay(unit usage.Unit) usage.Amount { return average(r.In(unit), r.Days) }

func average(sum usage.Amount, n int) usage.Amount {
	if micros, known := sum.Micros(); known && n > 0 {
		return usage.Micros(micros / int64(n))
	}
	return usage.Amount{}
}

// Plus adds figures. A sum is unknown if both are.
func (f Figures) Plus(g Figures) Figures {
	return Figures{
		Prompts: f.Prompts + g.Prompts,
		Costs: Costs{
			Credits: plus(f.Credits, g.Credits), ACU: plus(f.ACU, g.ACU),
			QuotaPercent: plus(f.QuotaPercent, g.QuotaPercent), OverageUSD: plus(f.OverageUSD, g.OverageUSD),
		},
		Tokens: Tokens{
			Input: plusTokens(f.Input, g.Input), Output: plusTokens(f.Output, g.Output), Cached: plusTokens(f.Cached, g.Cached),
		},
		ModelSteps: f.ModelSteps + g.ModelSteps, UnknownSteps: f.UnknownSteps + g.UnknownSteps,
	}
}

func plus(a, b usage.Amount) usage.Amount {
	if !a.Known() && !b.Known() {
		return usage.Amount{}
	}
	return usage.Micros(a.Millionths() + b.Millionths())
}

func plusTokens(a, b *int64) *int64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return new(*a + *b)
}
