package app

import (
	"context"
	"encoding/json"
	"log/slog"

	"windsock/chat"
	"windsock/chat/cli"
	"windsock/tray/window"
	"windsock/usage/history"
)

// windowChat is the window's access to models: it remembers the last one, and those of
// an agent, which is not started for a list alone unless the person wishes.
type windowChat struct {
	*chat.Service

	agents  *agents
	consent cli.Consent
	store   *history.Store
	logger  *slog.Logger
}

// windowMemory is remembered from one window for the next, for each engine.
type windowMemory struct {
	Model string `json:"model"`
	// Models are those that an agent has told.
	Models []agentModel `json:"models,omitempty"`
}

type agentModel struct {
	UID     string `json:"uid"`
	Label   string `json:"label"`
	Images  bool   `json:"images"`
	Default bool   `json:"default"`
}

// windowDocument is the memory's key in the store.
func windowDocument(engine string) string {
	if chat.IsAgent(engine) {
		return "window." + engine
	}
	return "window"
}

// Models are those of the engine.
func (c windowChat) Models(ctx context.Context, start bool) (window.Models, error) {
	engine, err := c.Engine()
	if err != nil {
		return window.Models{}, err
	}
	memory := c.recall(ctx, engine)
	models := window.Models{Engine: engine, Last: memory.Model}
	agent := chat.IsAgent(engine)
	if agent {
		models.Name = c.agents.name(engine)
	}
	switch {
	case agent && !start && len(memory.Models) == 0:
		models.Unlisted = true
		return models, nil
	case agent && !start:
		models.Catalogue = memory.catalogue()
	default:
		if models.Catalogue, err = c.Service.Models(ctx); err != nil {
			return window.Models{}, err
		}
		if agent {
			c.remember(ctx, engine, memory.Model, models.Catalogue)
		}
	}
	if m, _, err := c.Default(models.Catalogue); err == nil { // else the picker shows why there is no default
		models.Default = m.UID
	}
	return models, nil
}

// Ask sends a prompt. A further one goes to the engine and the model of its conversation.
func (c windowChat) Ask(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
	if p.Further != "" {
		return c.Service.Ask(ctx, p, tell)
	}
	engine, err := c.Engine()
	if err != nil {
		return chat.Answer{}, err
	}
	chosen, all, err := c.Choose(ctx, p.Model)
	if err != nil {
		return chat.Answer{}, err
	}
	c.remember(ctx, engine, chosen.UID, all)
	p.Model = chosen.UID
	return c.Service.Ask(ctx, p, tell)
}

// Offer is the agent to offer where Cascade is off.
func (c windowChat) Offer(ctx context.Context) *window.AgentOffer {
	configured, err := c.consent.Configured()
	if err != nil || configured != "" || !c.consent.Found(cli.Offered) {
		return nil
	}
	name, words, err := c.consent.Wording(ctx, cli.Offered)
	if err != nil {
		return nil
	}
	return &window.AgentOffer{Engine: cli.Offered, Name: name, Words: words}
}

// SetEngine keeps the choice of an engine in the settings.
func (c windowChat) SetEngine(id string) error { return c.consent.Keep(id) }

func (c windowChat) recall(ctx context.Context, engine string) (memory windowMemory) {
	if text, err := c.store.Load(ctx, windowDocument(engine)); err != nil || json.Unmarshal(text, &memory) != nil {
		return windowMemory{}
	}
	return memory
}

// remember stores a model for the next window, if its name stays valid, and what models
// an agent has.
func (c windowChat) remember(ctx context.Context, engine, model string, all chat.Catalogue) {
	var memory windowMemory
	if (chat.Model{UID: model}).Storable() {
		memory.Model = model
	}
	if chat.IsAgent(engine) {
		for _, m := range all.Models {
			memory.Models = append(memory.Models, agentModel{m.UID, m.Label, m.Images, m.ServerDefault})
		}
	} else if memory.Model == "" {
		return
	}
	text, err := json.Marshal(memory)
	if err == nil {
		err = c.store.Save(ctx, windowDocument(engine), text)
	}
	if err != nil {
		c.logger.DebugContext(ctx, "last model not kept", slog.Any("err", err))
	}
}

// catalogue lists an agent's models. What they cost is not told.
func (m windowMemory) catalogue() (all chat.Catalogue) {
	for _, of := range m.Models {
		all.Models = append(all.Models, chat.Model{
			UID: of.UID, Label: of.Label, Images: of.Images, ServerDefault: of.Default,
			Pricing: chat.PricingUnknown, CostTier: chat.CostUnknown,
		})
	}
	return all
}
