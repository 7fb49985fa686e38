package antigravity

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"windsock/usage"
	"windsock/usage/field"
)

// pool is the 5-hour figure of the models that share it, as GetUserStatus tells it.
type pool struct {
	models int
	// lowest is the figure of the model with the least left, and reset its reset.
	lowest field.Figure
	reset  time.Time
	// latest is the last reset of the models without a figure.
	latest time.Time
	// gaps says that of some model neither can be told.
	gaps bool
}

// modelMeters are the meters of the list of models.
func modelMeters(models gjson.Result) []usage.Meter {
	var gemini, others pool
	models.ForEach(func(_, model gjson.Result) bool {
		label := text(model, "label")
		quota := model.Get("quotaInfo")
		if strings.TrimSpace(label) == "" || !quota.IsObject() || slices.Contains(hidden, text(model, "modelOrAlias.model")) {
			return true
		}
		if isGemini(label) {
			gemini.add(quota)
		} else {
			others.add(quota)
		}
		return true
	})
	return slices.Concat(gemini.meter(usage.Gemini5h), others.meter(usage.ThirdParty5h))
}

// isGemini tells the two pools apart by a model's name.
func isGemini(label string) bool { return strings.Contains(strings.ToLower(label), "gemini") }

func (p *pool) add(quota gjson.Result) {
	p.models++
	left, reset := field.ReadFigure(quota, "remainingFraction", field.Fraction), field.ReadDate(quota, "resetTime")
	switch {
	case readable(left):
		less := left.Amount.Millionths() - p.lowest.Amount.Millionths()
		if !p.lowest.There || less < 0 || less == 0 && reset.After(p.reset) {
			p.lowest, p.reset = left, reset
		}
	case left.There || reset.IsZero():
		p.gaps = true
	case reset.After(p.latest):
		p.latest = reset
	}
}

// meter is the pool's meter; none without a model. The wire omits zero here, so that a
// pool in which every model has a reset and none a figure is used up. Where one has a
// figure, the gap of another means nothing (PROTOCOL.md 8.4).
func (p *pool) meter(id usage.MeterID) []usage.Meter {
	switch {
	case p.models == 0:
		return nil
	case p.lowest.There:
		return []usage.Meter{filled(usage.NewMeter(id, windowTo(p.reset, fiveHours)), p.lowest)}
	case p.gaps:
		return []usage.Meter{usage.NewMeter(id, windowTo(p.latest, fiveHours)).Without(usage.StateUnreadable)}
	default:
		return []usage.Meter{usage.NewMeter(id, windowTo(p.latest, fiveHours)).Of(whole, whole)}
	}
}

// hidden are models that Antigravity uses by itself and does not offer.
var hidden = []string{
	"MODEL_CHAT_20706", "MODEL_CHAT_23310",
	"MODEL_GOOGLE_GEMINI_2_5_FLASH", "MODEL_GOOGLE_GEMINI_2_5_FLASH_THINKING",
	"MODEL_GOOGLE_GEMINI_2_5_FLASH_LITE", "MODEL_GOOGLE_GEMINI_2_5_PRO",
	"MODEL_PLACEHOLDER_M9", "MODEL_PLACEHOLDER_M12", "MODEL_PLACEHOLDER_M19",
}
