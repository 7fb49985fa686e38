package models

import "windsock/chat"

// Report is a model as `windsock models --json` writes it, schema 1; unknown values
// are null.
type Report struct {
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

// NewReport reports a model; chosen says that it is the default.
func NewReport(m chat.Model, chosen bool) Report {
	r := Report{
		UID: m.UID, Label: m.Label, CreditMultiplier: m.CreditMultiplier, Pricing: m.Pricing,
		New: m.New, Recommended: m.Recommended, Default: chosen, Disabled: m.Disabled, Images: m.Images,
	}
	if why := m.Why(); why != "" {
		r.DisabledReason = &why
	}
	if m.MaxTokens > 0 {
		r.MaxTokens = &m.MaxTokens
	}
	return r
}
