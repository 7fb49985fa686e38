package window

import (
	"net/http"

	"windsock/chat"
)

// model is a model as `windsock models --json` writes it.
type model struct {
	UID              string       `json:"uid"`
	Label            string       `json:"label"`
	CreditMultiplier *float64     `json:"credit_multiplier"`
	Pricing          chat.Pricing `json:"pricing"`
	New              bool         `json:"new"`
	Recommended      bool         `json:"recommended"`
	Default          bool         `json:"default"`
	Disabled         bool         `json:"disabled"`
	DisabledReason   *string      `json:"disabled_reason"`
	Images           bool         `json:"images"`
	MaxTokens        *int         `json:"max_tokens"`
}

func (s *served) models(w http.ResponseWriter, r *http.Request) {
	all, err := s.config.Chat.Models(r.Context())
	if err != nil {
		failWith(w, http.StatusServiceUnavailable, err)
		return
	}
	list := make([]model, 0, len(all.Models))
	for _, m := range all.Models {
		made := model{
			UID: m.UID, Label: m.Label, CreditMultiplier: m.CreditMultiplier, Pricing: m.Pricing, New: m.New, Recommended: m.Recommended,
			Default: m.UID != "" && m.UID == all.Default, Disabled: m.Disabled, Images: m.Images,
		}
		if why := m.Why(); why != "" {
			made.DisabledReason = &why
		}
		if m.MaxTokens > 0 {
			made.MaxTokens = &m.MaxTokens
		}
		list = append(list, made)
	}
	write(w, http.StatusOK, struct {
		Models  []model `json:"models"`
		Default string  `json:"default"`
		Last    string  `json:"last"`
	}{list, all.Default, all.Last})
}
