package account

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// An Antigravity is a made-up account of Antigravity in a certain situation: what is
// left of the quotas that its groups of models share.
type Antigravity struct {
	Name  string
	About string // one line, for people
	// Tier is Google's name of the plan; empty where nobody is signed in.
	Tier string
	// groups are in the order of the answers.
	groups []share
}

// AntigravityScenarios returns all accounts of Antigravity, the default first.
func AntigravityScenarios() []Antigravity { return slices.Clone(antigravities) }

const (
	aiPro   = "Google AI Pro"
	aiUltra = "Google AI Ultra"
)

// antigravities is the table of all accounts.
var antigravities = []Antigravity{
	{
		Name: "pro", About: "Google AI Pro, Gemini in use, Claude and GPT untouched", Tier: aiPro,
		groups: []share{
			{modelGroup: gemini, fiveHour: limit{619_567, 3 * time.Hour}, weekly: limit{856_594, 6*day + 22*time.Hour}, perHour: 230_000},
			{modelGroup: thirdParty, fiveHour: untouched, weekly: untouched, perHour: 60_000, from: 3 * time.Hour},
		},
	},
	{
		Name: "fresh", About: "Google AI Ultra, nothing used", Tier: aiUltra,
		groups: []share{
			{modelGroup: gemini, fiveHour: untouched, weekly: untouched, perHour: 150_000, from: time.Hour},
			{modelGroup: thirdParty, fiveHour: untouched, weekly: untouched},
		},
	},
	{
		Name: "tight", About: "Google AI Pro, little left of everything", Tier: aiPro,
		groups: []share{
			{modelGroup: gemini, fiveHour: limit{40_000, 2 * time.Hour}, weekly: limit{180_000, 2 * day}, perHour: 250_000},
			{modelGroup: thirdParty, fiveHour: limit{150_000, time.Hour}, weekly: limit{60_000, 3 * day}, perHour: 60_000},
		},
	},
	{
		Name: "exhausted", About: "Google AI Pro, Gemini's five hours used up", Tier: aiPro,
		groups: []share{
			{modelGroup: gemini, fiveHour: limit{0, 2 * time.Hour}, weekly: limit{818_274, 4 * day}, perHour: 250_000},
			{modelGroup: thirdParty, fiveHour: limit{500_000, 3 * time.Hour}, weekly: limit{700_000, 4 * day}},
		},
	},
	{
		Name: "weekly_exhausted", About: "Google AI Pro, Gemini's week used up, the five hours full", Tier: aiPro,
		groups: []share{
			{modelGroup: gemini, fiveHour: untouched, weekly: limit{0, 3 * day}, perHour: 250_000},
			{modelGroup: thirdParty, fiveHour: untouched, weekly: limit{700_000, 4 * day}},
		},
	},
	{
		Name: "free", About: "no paid plan, weekly quotas only", Tier: "Antigravity Starter",
		groups: []share{
			{modelGroup: gemini, weekly: limit{400_000, 2 * day}, perHour: 10_000},
			{modelGroup: thirdParty, weekly: untouched},
		},
	},
	{
		Name: "five_buckets", About: "Google AI Pro, with a quota that nobody knows", Tier: aiPro,
		groups: []share{
			{modelGroup: gemini, fiveHour: limit{620_000, 3 * time.Hour}, weekly: limit{850_000, 5 * day}},
			{modelGroup: thirdParty, fiveHour: limit{500_000, 2 * time.Hour}, weekly: limit{900_000, 6 * day}},
			{modelGroup: image, fiveHour: limit{100_000, 4 * time.Hour}},
		},
	},
	{
		Name: "signed_out", About: "nobody is signed in",
	},
}

// AntigravityNamed returns the account with that name. The error lists the existing
// names.
func AntigravityNamed(name string) (Antigravity, error) {
	names := make([]string, 0, len(antigravities))
	for _, a := range antigravities {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return Antigravity{}, fmt.Errorf("unknown scenario of Antigravity %q, want one of %s", name, strings.Join(names, ", "))
}

// SignedIn reports whether the account has figures.
func (a Antigravity) SignedIn() bool { return a.Tier != "" }

// Speed makes a [Lapse] show five hours in a minute.
func (a Antigravity) Speed() float64 { return float64(fiveHours) / float64(lapseWindow) }

// A ModelQuota is what is left for a group of models.
type ModelQuota struct {
	Name   string
	Models []string // their labels
	// Buckets are the group's quotas, the weekly one first.
	Buckets []Bucket
}

// A Bucket is one quota of a group.
type Bucket struct {
	ID     string
	Name   string
	Window string // "5h" or "weekly"
	// Left is the part that is left, 0 to 1.
	Left float32
	// Reset is the end of the window. A window that has not begun would end a whole
	// window from now.
	Reset time.Time
}

// Quotas are the account's quotas.
func (a Antigravity) Quotas(c Clock) []ModelQuota {
	all := make([]ModelQuota, 0, len(a.groups))
	for _, s := range a.groups {
		all = append(all, ModelQuota{Name: s.name, Models: slices.Clone(s.models), Buckets: s.buckets(c)})
	}
	return all
}

// A modelGroup is a group of models that share their quotas.
type modelGroup struct {
	id, name string
	models   []string
}

var (
	gemini = modelGroup{"gemini", "Gemini Models", []string{
		"Gemini 3.1 Pro (High)", "Gemini 3.1 Pro (Low)", "Gemini 3 Pro (High)", "Gemini 3 Pro (Low)",
		"Gemini 3.5 Flash (High)", "Gemini 3.5 Flash (Medium)", "Gemini 3.5 Flash (Low)",
	}}
	thirdParty = modelGroup{"3p", "Claude and GPT models", []string{
		"Claude Opus 4.6 (Thinking)", "Claude Sonnet 4.6", "Claude Sonnet 4.6 (Thinking)", "GPT-OSS 120B (Medium)",
	}}
	image = modelGroup{id: "gemini-image", name: "Image Models"}
)
