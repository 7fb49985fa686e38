package acp

import (
	"slices"

	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/probe/terminal"
)

// choice is something that a session lets its client choose: its mode or its model.
type choice struct {
	current string
	values  []value
	// option is the id of the session's option; empty if the session has the choice in
	// the way of before (PROTOCOL.md 11.2).
	option string
}

type value struct {
	id, label string
	// images says whether the model takes images; nil if the agent does not tell.
	images *bool
}

// options are the choices of a session. Each may have no values.
type options struct{ mode, model choice }

// readOptions reads the answer to session/new, or an update with options.
func readOptions(from gjson.Result) options {
	list := from.Get("configOptions")
	o := options{mode: readOption(list, "mode"), model: readOption(list, "model")}
	if len(o.mode.values) == 0 {
		o.mode = readOld(from.Get("modes"), "currentModeId", "availableModes", "id")
	}
	if len(o.model.values) == 0 {
		o.model = readOld(from.Get("models"), "currentModelId", "availableModels", "modelId")
	}
	return o
}

// readOption finds the option of that category, else of that id.
func readOption(list gjson.Result, name string) choice {
	if !list.IsArray() {
		return choice{}
	}
	for _, key := range []string{"category", "id"} {
		for _, o := range list.Array() {
			if o.Get(key).String() != name {
				continue
			}
			c := choice{current: o.Get("currentValue").String(), option: o.Get("id").String()}
			c.read(o.Get("options"), "value")
			if c.option != "" && len(c.values) > 0 {
				return c
			}
		}
	}
	return choice{}
}

func readOld(from gjson.Result, current, list, id string) choice {
	c := choice{current: from.Get(current).String()}
	c.read(from.Get(list), id)
	return c
}

// read takes values, which may stand in groups.
func (c *choice) read(list gjson.Result, id string) {
	if !list.IsArray() {
		return
	}
	for _, v := range list.Array() {
		if group := v.Get("options"); group.IsArray() {
			for _, v := range group.Array() {
				c.add(v, id)
			}
			continue
		}
		c.add(v, id)
	}
}

func (c *choice) add(v gjson.Result, id string) {
	if uid := v.Get(id); uid.Type == gjson.String && uid.Str != "" && !c.has(uid.Str) {
		of := value{id: uid.Str, label: v.Get("name").String()}
		if told := v.Get(`_meta.cognition\.ai/supportsImages`); told.IsBool() {
			of.images = new(told.Bool())
		}
		c.values = append(c.values, of)
	}
}

func (c *choice) has(id string) bool {
	return slices.ContainsFunc(c.values, func(v value) bool { return v.id == id })
}

var (
	// answering are the modes for answering, the preferred one first. What they are
	// worth differs (PROTOCOL.md 11.6).
	answering = []string{"ask", "plan", "read-only"}
	// daring are the modes that let an agent act without asking.
	daring = []string{"yolo", "bypass", "bypassPermissions", "agent-full-access", "autopilot"}
)

// chooseMode returns the mode to set, empty for the present one. It returns false if
// there are modes and in each the agent would act unasked.
func (c *choice) chooseMode() (mode string, ok bool) {
	for _, id := range answering {
		if c.has(id) {
			return id, true
		}
	}
	if !slices.Contains(daring, c.current) {
		return "", true
	}
	for _, v := range c.values {
		if !slices.Contains(daring, v.id) {
			return v.id, true
		}
	}
	return "", false
}

// ownModel is the UID that stands for the agent's own choice, where it lists no models.
const ownModel = "default"

// catalogue lists the models of a session. images says whether the agent takes images; a
// model of which that is not told takes what its agent does (PROTOCOL.md 11.2). What
// models cost is not told.
func (c *choice) catalogue(images bool) chat.Catalogue {
	if len(c.values) == 0 {
		return chat.Catalogue{Models: []chat.Model{{
			UID: ownModel, Label: "The agent's own choice", Pricing: chat.PricingUnknown, CostTier: chat.CostUnknown, Images: images, ServerDefault: true,
		}}}
	}
	var all chat.Catalogue
	for _, v := range c.values {
		label := terminal.Short(v.label)
		if label == "" {
			label = terminal.Short(v.id)
		}
		if label == "" {
			continue // nobody could name it
		}
		all.Models = append(all.Models, chat.Model{
			UID: v.id, Label: label, Pricing: chat.PricingUnknown, CostTier: chat.CostUnknown, Images: images && (v.images == nil || *v.images), ServerDefault: v.id == c.current,
		})
	}
	return all
}
