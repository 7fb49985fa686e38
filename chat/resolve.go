package chat

import (
	"cmp"
	"slices"
	"strings"

	"windsock/probe/nearest"
	"windsock/probe/terminal"
)

// MaxModelName is longer than any label.
const MaxModelName = 200

// Resolve returns the model that a name stands for. A name is, the first that
// fits one being taken:
//
//   - a UID or a label, in any case;
//   - words of a label, or of a UID, in any order: "claude-4.5-opus" and "opus 4.5"
//     are Claude Opus 4.5, "gpt-5.2:high" is GPT-5.2 High, "haiku" the only one of
//     that name.
//
// Where several models fit, it is the one whose words all others have as well:
// "opus 4.5" is Claude Opus 4.5 and not its Thinking variant, also where that is
// the only one enabled. Without such a one, only the enabled ones count. A version
// is never completed, since "gpt-5" beside GPT-5.2 is another model at another
// price. The private UID of a model is not taken apart.
//
// The error is a [*ModelError]: the name is unknown, or means several models, or
// a disabled one.
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

// chooseModel takes one of the models that a name fits, of which there is at least one.
func chooseModel(name string, found []namedModel) (Model, *ModelError) {
	m, ok := plainest(found)
	if !ok || m.UID == "" {
		// Those that cannot be asked do not make a name ambiguous. A name that means one
		// of them in full is not exchanged for another in silence.
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

// plainest is the model whose words all others have, and more of them. Entries
// with one UID are one model under several labels.
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

// nearestModels are the few enabled models that have most of the words, or some like
// them; none that has less than half of them.
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
	// Of two that are as near, the shorter name has less that was not asked for.
	slices.SortStableFunc(near, func(a, b ranked) int { return cmp.Or(2*b.has+b.like-2*a.has-a.like, len(a.label)-len(b.label)) })
	few := make([]Model, 0, 3)
	for _, r := range near[:min(len(near), 3)] {
		few = append(few, r.Model)
	}
	return few
}

// Matching is the part of the catalogue that a person looks for: models, disabled ones
// too, that have all words of the text somewhere in their label or UID. Unlike in
// Resolve, 5 finds 5.2.
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

// Unmatched tells what comes near a text that nothing matches.
func (c Catalogue) Unmatched(text string) *ModelError {
	return &ModelError{Code: UnknownModel, Name: text, Candidates: nearestModels(nameWords(text), c.named())}
}
