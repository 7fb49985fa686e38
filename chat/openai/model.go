package openai

import (
	"net/http"
	"slices"
	"strings"

	"windsock/chat"
)

// modelEntry is a model in /v1/models. Clients want a number in Created; the server
// does not tell it, so it is 0.
type modelEntry struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
	// Not in OpenAI's list:
	Label            string   `json:"label"`
	UID              string   `json:"uid,omitempty"`
	ContextLength    int      `json:"context_length,omitempty"`
	CreditMultiplier *float64 `json:"credit_multiplier,omitempty"`
	Default          bool     `json:"default,omitempty"`
}

func newEntry(all chat.Catalogue, m chat.Model) modelEntry {
	e := modelEntry{
		ID: modelID(all, m), Object: "model", OwnedBy: "windsurf", Label: m.Label,
		ContextLength: m.MaxTokens, CreditMultiplier: m.CreditMultiplier,
	}
	if m.Storable() {
		e.UID = m.UID
	}
	return e
}

// serveModels lists the models that are available now.
func (s *Server) serveModels(w http.ResponseWriter, r *http.Request) {
	all, err := s.Chat.Models(r.Context())
	if err != nil {
		fail(w, r, err)
		return
	}
	chosen, _, _ := s.Chat.Default(all) // without one, none is marked
	entries := make([]modelEntry, 0, len(all.Models))
	for _, m := range all.Models {
		if m.Disabled {
			continue
		}
		e := newEntry(all, m)
		e.Default = m.UID == chosen.UID && m.Label == chosen.Label
		if !slices.ContainsFunc(entries, func(other modelEntry) bool { return other.ID == e.ID }) {
			entries = append(entries, e)
		}
	}
	writeJSON(w, http.StatusOK, encode(struct {
		Object string       `json:"object"`
		Data   []modelEntry `json:"data"`
	}{"list", entries}))
}

// serveModel describes one model, by any of its names.
func (s *Server) serveModel(w http.ResponseWriter, r *http.Request) {
	all, err := s.Chat.Models(r.Context())
	if err != nil {
		fail(w, r, err)
		return
	}
	m, err := all.Resolve(r.PathValue("model"))
	if err != nil {
		fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, encode(newEntry(all, m)))
}

// modelID is a model's name for programs: name:variant if that is unique, else its
// UID, else its label.
func modelID(all chat.Catalogue, m chat.Model) string {
	names := []string{alias(m.Label), m.Label}
	if m.Storable() {
		names = slices.Insert(names, 1, m.UID)
	}
	for _, name := range names {
		if found, err := all.Resolve(name); err == nil && found.UID == m.UID {
			return name
		}
	}
	return m.UID
}

// variants are the words for a model's effort, speed and context size.
var variants = []string{"minimal", "none", "low", "medium", "high", "xhigh", "max", "thinking", "fast", "slow", "1m"}

// alias turns GPT-5.2 High into gpt-5.2:high: the label's words, with the variant's
// behind a colon.
func alias(label string) string {
	words := strings.FieldsFunc(strings.ToLower(label), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '.'
	})
	for i := 0; i+1 < len(words); i++ {
		if words[i] == "x" && words[i+1] == "high" {
			words = slices.Replace(words, i, i+2, "xhigh")
		}
	}
	split := len(words)
	for split > 1 && slices.Contains(variants, words[split-1]) {
		split--
	}
	name := strings.Join(words[:split], "-")
	if split < len(words) {
		name += ":" + strings.Join(words[split:], "-")
	}
	return name
}
