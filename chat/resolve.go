package chat

import (
	"cmp"
	"slices"
	"strings"

	"windsock/probe/nearest"
	"windsock/probe/sorted"
	"windsock/probe/terminal"
)

// MaxModelName is longer than any label.
const MaxModelName = 200

// Resolve returns the model of a name. The first match of these wins:
//
//   - a UID or a label, in any case;
//   - words of a label, or of a UID, in any order: "claude-4.5-opus" and "opus 4.5"
//     are Claude Opus 4.5, "gpt-5.2:high" is GPT-5.2 High, "haiku" the only one of
//     that name.
//
// If several models match, the one whose words all others have as well wins: "opus
// 4.5" is Claude Opus 4.5 and not its Thinking variant, even if that is the only
// enabled one. Without such a model, only the enabled ones count. A version is never
// completed: "gpt-5" is not GPT-5.2, which is another model at another price. A
// private UID is not split into words.
//
// The error is a [*ModelError]: the name is unknown, ambiguous, or means a disabled
// model.
func (c Catalogue) Resolve(name string) (Model, error) {
	m, err := c.resolve(name)
	if err != nil {
		return Model{}, err
	}
	return m, nil
}

func (c Catalogue) resolve(name string) (Model, *ModelError) {
	name = strings.TrimSpace(name)
	switch {
	case len(c.Models) == 0:
		return Model{}, &ModelError{Code: NoModels}
	case name == "" || len(name) > MaxModelName:
		return Model{}, &ModelError{Code: UnknownModel, Name: name}
	}
	list := nameWords(name)
	named := c.named()
	steps := []func(namedModel) bool{
		func(m namedModel) bool { return strings.EqualFold(m.UID, name) },
		func(m namedModel) bool { return strings.EqualFold(m.Label, terminal.Line(name)) },
		func(m namedModel) bool { return len(list) > 0 && (hasWords(list, m.label) || hasWords(list, m.uid)) },
	}
	for _, fits := range steps {
		var found []namedModel
		for _, m := range named {
			if fits(m) {
				found = append(found, m)
			}
		}
		if len(found) > 0 {
			return chooseModel(name, found)
		}
	}
	return Model{}, &ModelError{Code: UnknownModel, Name: name, Candidates: nearestModels(list, named)}
}

// namedModel is a model with the words of its names.
type namedModel struct {
	Model

	label, uid []string
}

func (c Catalogue) named() []namedModel {
	all := make([]namedModel, len(c.Models))
	for i, m := range c.Models {
		all[i] = namedModel{Model: m, label: nameWords(m.Label)}
		if m.Storable() {
			all[i].uid = nameWords(m.UID)
		}
	}
	return all
}

// chooseModel picks one of the models that match a name. There is at least one.
func chooseModel(name string, found []namedModel) (Model, *ModelError) {
	m, ok := plainest(found)
	if !ok || m.UID == "" {
		// Disabled models do not make a name ambiguous. But a full name of one of them
		// is not silently replaced by another model.
		enabled := slices.DeleteFunc(slices.Clone(found), func(m namedModel) bool { return m.Disabled })
		if len(enabled) > 0 {
			found = enabled
			m, ok = plainest(found)
		}
	}
	switch {
	case !ok:
		return Model{}, &ModelError{Code: AmbiguousModel, Name: name, Candidates: modelsOf(found)}
	case m.Disabled:
		return Model{}, &ModelError{Code: DisabledModel, Name: name, Candidates: []Model{m}}
	default:
		return m, nil
	}
}

// plainest is the model with a proper subset of every other's words. Entries with one
// UID are one model under several labels.
func plainest(found []namedModel) (Model, bool) {
	least := slices.MinFunc(found, func(a, b namedModel) int {
		return len(a.label) - len(b.label)
	})
	for _, m := range found {
		same := m.UID == least.UID && (m.UID != "" || m.Label == least.Label)
		if !same && (!hasWords(least.label, m.label) || hasWords(m.label, least.label)) {
			return Model{}, false
		}
	}
	return least.Model, true
}

func modelsOf(found []namedModel) []Model {
	list := make([]Model, len(found))
	for i, m := range found {
		list[i] = m.Model
	}
	return list
}

// nearestModels are the few enabled models that share most of the words, or similar
// ones, and at least half of them.
func nearestModels(list []string, named []namedModel) []Model {
	type ranked struct {
		namedModel

		has, like int // words
	}
	var near []ranked
	for _, m := range named {
		r := ranked{namedModel: m}
		words := slices.Concat(m.label, m.uid)
		for _, word := range list {
			switch {
			case slices.Contains(words, word):
				r.has++
			case slices.ContainsFunc(words, func(other string) bool { return nearest.Like(word, other) }):
				r.like++
			}
		}
		if n := r.has + r.like; n > 0 && 2*n >= len(list) && !m.Disabled {
			near = append(near, r)
		}
	}
	// Of two equally near models, the shorter name has fewer extra words.
	sorted.By(near, func(a, b ranked) int { return cmp.Or(2*b.has+b.like-2*a.has-a.like, len(a.label)-len(b.label)) })
	few := make([]Model, 0, 3)
	for _, r := range near[:min(len(near), 3)] {
		few = append(few, r.Model)
	}
	return few
}

// Matching is the part of the catalogue that matches a search: models, disabled ones
// too, whose label or UID contains all words of the text. Unlike in Resolve, 5 finds
// 5.2.
func (c Catalogue) Matching(text string) Catalogue {
	text = strings.ToLower(strings.TrimSpace(text))
	list := nameWords(text)
	matches := func(name string) bool {
		name = strings.ToLower(name)
		return strings.Contains(name, text) || len(list) > 0 && !slices.ContainsFunc(list, func(word string) bool {
			return !strings.Contains(name, word)
		})
	}
	var found Catalogue
	for _, m := range c.Models {
		if matches(m.Label) || m.Storable() && matches(m.UID) {
			found.Models = append(found.Models, m)
		}
	}
	return found
}

// Unmatched is the error for a text without matches, with the nearest models.
func (c Catalogue) Unmatched(text string) *ModelError {
	return &ModelError{Code: UnknownModel, Name: text, Candidates: nearestModels(nameWords(text), c.named())}
}
