package chat

import (
	"strconv"
	"strings"
	"time"
)

// Model is one entry of the server's list (PROTOCOL.md 7.9). Its texts are fit
// for one line of a terminal.
type Model struct {
	// UID asks for the model. It is empty where the server gives none; the model
	// is disabled then.
	UID string
	// Label is what people call the model, never empty.
	Label string
	// CreditMultiplier is what a prompt costs, in credits: 0 is free, nil is not
	// known.
	CreditMultiplier *float64
	Pricing          Pricing
	CostTier         CostTier
	// New, Recommended, Beta and CapacityLimited are the server's marks.
	New, Recommended, Beta, CapacityLimited bool
	// ServerDefault marks the one model that the server takes where none is chosen.
	ServerDefault bool
	Disabled      bool
	// Reason says in a few words why the model is disabled, and Detail in a
	// sentence; each is empty where it is not known.
	Reason, Detail string
	// Images tells whether the model looks at pictures.
	Images bool
	// MaxTokens is the size of the context; 0 is not known.
	MaxTokens   int
	Description string
	// Promotion is nil where there is none.
	Promotion *Promotion
}

// Promotion is an offer that the server says is running.
type Promotion struct {
	// Label is the server's, such as "Free"; it may be empty.
	Label string
	// Ends is zero where the end is not known.
	Ends time.Time
}

// Storable tells whether the UID means the same model tomorrow and in another
// account. MODEL_PRIVATE_n does not: such a model is kept by its label, if at all.
func (m Model) Storable() bool {
	return m.UID != "" && !strings.HasPrefix(strings.ToUpper(m.UID), "MODEL_PRIVATE_")
}

// Why says in full why the model is disabled, "" where it is not or nobody knows.
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

// Price is that of a prompt in credits, for people. Where it is paid in another way,
// that is said instead.
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

// Pricing is how a model is paid for.
type Pricing string

// The kinds of pricing. PricingACUToken was called DEVIN_ENTERPRISE until early
// 2026.
const (
	PricingUnknown      Pricing = "unknown"
	PricingStaticCredit Pricing = "static_credit" // CreditMultiplier for each prompt
	PricingAPI          Pricing = "api"
	PricingBYOK         Pricing = "byok" // a key of one's own
	PricingACUToken     Pricing = "acu_token"
	PricingACUCredit    Pricing = "acu_credit"
)

// CostTier is the server's rough word for the price.
type CostTier string

// The tiers.
const (
	CostUnknown CostTier = "unknown"
	CostLow     CostTier = "low"
	CostMedium  CostTier = "medium"
	CostHigh    CostTier = "high"
	CostFree    CostTier = "free"
)

// Catalogue is the server's list of models, in the order in which the editor
// shows them: that of the server's sorts, the first mention counting, then that
// of the list.
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

// Default is the model for a prompt that names none: the configured one, which
// is a name as [Catalogue.Resolve] takes it or empty, else the server's, else the
// first that is recommended, else the first. Disabled models are passed over,
// but for the configured one: what a person has settled is not exchanged for
// another in silence. The error is a [*ModelError].
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
