package chat

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"windsock/probe/say"
	"windsock/probe/terminal"
)

// The codes of a ModelError.
const (
	BadModels      Code = "bad_payload"     // the answer is no JSON object
	NoModels       Code = "no_models"       // no models, or none enabled
	UnknownModel   Code = "unknown_model"   // no model fits the name
	AmbiguousModel Code = "ambiguous_model" // several models fit the name
	DisabledModel  Code = "disabled_model"  // the model is disabled
	// NoImages: the model takes no images, and nothing was sent.
	NoImages Code = "image_not_supported"
)

// ModelError says why there is no usable model. Error is for logs and has none of the
// server's text.
type ModelError struct {
	// Candidates are the models that the name may mean, the nearest ones to an unknown
	// name, the disabled one, all models if all are disabled, or those that take images.
	Candidates []Model

	Code       Code
	Engine     string // the ID of the engine whose models they are; empty is Cascade
	Name       string // what was asked for; with NoImages the model's label
	Configured bool   // the name comes from the settings
}

// Tell has the exit code 2 if another name would help, else 1.
func (e *ModelError) Tell() say.Error {
	told := say.Error{Code: string(e.Code), What: e.sentence(), Exit: say.ExitUsage}
	if e.Code == BadModels || e.Code == NoModels {
		told.Exit = 1
	}
	if e.Configured {
		told.What = "The configured model cannot be taken: " + told.What
	}
	return told
}

func (e *ModelError) Error() string {
	switch e.Code {
	case BadModels:
		return "decode models: not a JSON object"
	case NoModels:
		return "choose model: none is enabled"
	case AmbiguousModel:
		return "resolve model: several fit the name"
	case DisabledModel:
		return "resolve model: disabled"
	case NoImages:
		return "ask model: it takes no images"
	default:
		return "resolve model: none fits the name"
	}
}

func (e *ModelError) sentence() string {
	name, list, server := fmt.Sprintf("%q", ansi.Truncate(terminal.Line(e.Name), 60, "…")), "`windsock models`", "server"
	if IsAgent(e.Engine) {
		list, server = "`windsock models --engine "+e.Engine+"`", "agent"
	}
	switch e.Code {
	case BadModels:
		return "The answer with the models is not a JSON object. Restart the editor, then try again."
	case NoModels:
		if len(e.Candidates) > 0 {
			return "All models are disabled; " + list + " says why."
		}
		if IsAgent(e.Engine) {
			return "The agent lists no models, so there is none to take."
		}
		return "The editor's server lists no models, so there is none to take."
	case AmbiguousModel:
		return name + " may be " + modelNames(e.Candidates, "or") + ". Name one of them."
	case DisabledModel:
		return disabledSentence(e.Candidates[0], server)
	case NoImages:
		if len(e.Candidates) == 0 {
			return terminal.Short(e.Name) + " takes no images, and no other model of this " + server + " does."
		}
		return terminal.Short(e.Name) + " takes no images. Models that do: " + modelNames(e.Candidates, "and") + "."
	default:
		said := "There is no model " + name + "."
		if len(e.Candidates) > 0 {
			said += " The nearest: " + modelNames(e.Candidates, "and") + "."
		}
		return said + " " + list + " lists all."
	}
}

func disabledSentence(m Model, server string) string {
	why := m.Why()
	if why == "" {
		return m.Label + " is disabled, and the " + server + " does not say why. Name another model."
	}
	if !strings.ContainsAny(why[len(why)-1:], ".!?") {
		why += "."
	}
	return m.Label + " is disabled: " + why
}

// modelNames are the first labels, with UIDs where labels are equal.
func modelNames(list []Model, last string) string {
	const most = 6
	labels := map[string]int{}
	for _, m := range list {
		labels[m.Label]++
	}
	names := make([]string, 0, most)
	for _, m := range list[:min(len(list), most)] {
		name := m.Label
		if labels[name] > 1 && m.Storable() {
			name += " (" + m.UID + ")"
		}
		names = append(names, name)
	}
	if more := len(list) - len(names); more > 0 {
		return strings.Join(names, ", ") + fmt.Sprintf(" %s one of %d more", last, more)
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}
