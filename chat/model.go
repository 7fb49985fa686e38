package chat

import (
	"strconv"
	"strings"
	"time"
)

// Model is one entry of the server's list (PROTOCOL.md 7.9). Its texts are fit
// for one line of a terminal.
type Model struct {
	// UID is the model's id in requests. If the server gives none, it is empty and the
	// model is disabled.
	UID string
	// Label is the model's name for people, never empty.
	Label string
	// CreditMultiplier is a prompt's price in credits: 0 is free, nil is unknown.
	CreditMultiplier *float64
	Pricing          Pricing
	CostTier         CostTier
	// New, Recommended, Beta and CapacityLimited are the server's marks.
	New, Recommended, Beta, CapacityLimited bool
	// ServerDefault marks the one model that the server takes without a choice.
	ServerDefault bool
	Disabled      bool
	// Reason says in a few words why the model is disabled, and Detail in a sentence;
	// each is empty if unknown.
	Reason, Detail string
	// Images says whether the model accepts images.
	Images bool
	// MaxTokens is the size of the context; 0 is unknown.
	MaxTokens   int
	Description string
	// Promotion is nil if there is none.
	Promotion *Promotion
}

// Promotion is an offer that the server reports as running.
type Promotion struct {
	// Label is the server's, such as "Free"; it may be empty.
	Label string
	// Ends is zero if the end is unknown.
	Ends time.Time
}

// Storable reports whether the UID stays the same tomorrow and in another account.
// MODEL_PRIVATE_n does not: such a model is stored by its label, if at all.
func (m Model) Storable() bool {
	return m.UID != "" && !strings.HasPrefix(strings.ToUpper(m.UID), "MODEL_PRIVATE_")
}

// Why says in full why the model is disabled. It is "" if the model is enabled, or the
// reason unknown.
func (m Model) Why() string {
	switch {
	case !m.Disabled:
		return ""
	case m.Reason == "" || m.Detail == "":
		return m.Reason + m.Detail
	case strings.ContainsAny(m.Reason[len(m.Reason)-1:], ".!?"):
		return m.Reason + " " + m.Detail
	default:
		return m.Reason + ". " + m.Detail
	}
}

// Price words the price of a prompt in credits, or the other way of paying.
func (m Model) Price() string {
	switch {
	case m.Pricing == PricingAPI:
		return "API price"
	case m.Pricing == PricingBYOK:
		return "own key"
	case m.Pricing == PricingACUToken || m.Pricing == PricingACUCredit:
		return "ACUs"
	case m.CreditMultiplier == nil:
		return "unknown"
	case *m.CreditMultiplier == 0:
		return "free"
	default:
		return strconv.FormatFloat(*m.CreditMultiplier, 'f', -1, 32) + "×"
	}
}

// Pricing is the way of paying for a model.
type Pricing string

// The kinds of pricing. PricingACUToken was called DEVIN_ENTERPRISE until early
// 2026.
const (
	PricingUnknown      Pricing = "unknown"
	PricingStaticCredit Pricing = "static_credit" // CreditMultiplier for each prompt
	PricingAPI          Pricing = "api"
	PricingBYOK         Pricing = "byok" // the person's own key
	PricingACUToken     Pricing = "acu_token"
	PricingACUCredit    Pricing = "acu_credit"
)

// CostTier is the server's rough price class.
type CostTier string

// The tiers.
const (
	CostUnknown CostTier = "unknown"
	CostLow     CostTier = "low"
	CostMedium  CostTier = "medium"
	CostHigh    CostTier = "high"
	CostFree    CostTier = "free"
)

// Catalogue is the server's list of models in the editor's order: first that of the
// server's sorts, by first mention, then that of the list.
type Catalogue struct {
	Models []Model
}

// DefaultRule says why a model is the default.
type DefaultRule string

// The rules, the strongest first.
const (
	DefaultConfigured  DefaultRule = "configured"
	DefaultServer      DefaultRule = "server"
	DefaultRecommended DefaultRule = "recommended" // the first enabled one that is
	DefaultFirst       DefaultRule = "first"       // the first enabled one
)

// Default returns the model for a prompt that names none: the configured one (a name
// as [Catalogue.Resolve] takes it, or empty), else the server's, else the first
// recommended one, else the first. It skips disabled models, except for the configured
// one: a person's choice is never replaced silently. The error is a [*ModelError].
func (c Catalogue) Default(configured string) (Model, DefaultRule, error) {
	if strings.TrimSpace(configured) != "" {
		m, err := c.resolve(configured)
		if err != nil {
			err.Configured = err.Code != NoModels
			return Model{}, "", err
		}
		return m, DefaultConfigured, nil
	}
	rules := []struct {
		rule  DefaultRule
		holds func(Model) bool
	}{
		{DefaultServer, func(m Model) bool { return m.ServerDefault }},
		{DefaultRecommended, func(m Model) bool { return m.Recommended }},
		{DefaultFirst, func(Model) bool { return true }},
	}
	for _, r := range rules {
		for _, m := range c.Models {
			if !m.Disabled && r.holds(m) {
				return m, r.rule, nil
			}
		}
	}
	return Model{}, "", &ModelError{Code: NoModels, Candidates: c.Models}
}
