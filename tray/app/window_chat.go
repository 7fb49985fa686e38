package app

import (
	"context"
	"encoding/json"
	"log/slog"

	"windsock/chat"
	"windsock/tray/window"
	"windsock/usage/history"
)

// windowChat is the window's access to models: it remembers the last one.
type windowChat struct {
	*chat.Service

	store  *history.Store
	logger *slog.Logger
}

// windowMemory is remembered from one window for the next.
type windowMemory struct {
	Model string `json:"model"`
}

// windowDocument is the memory's key in the store.
const windowDocument = "window"

// Models are those of the plan.
func (c windowChat) Models(ctx context.Context) (window.Models, error) {
	all, err := c.Service.Models(ctx)
	if err != nil {
		return window.Models{}, err
	}
	models := window.Models{Catalogue: all}
	if m, _, err := c.Default(all); err == nil { // else the picker shows why there is no default
		models.Default = m.UID
	}
	var memory windowMemory
	if text, err := c.store.Load(ctx, windowDocument); err == nil && json.Unmarshal(text, &memory) == nil {
		models.Last = memory.Model
	}
	return models, nil
}

// Ask sends a prompt. A further one keeps to the model of its conversation, whose engine
// need not be the one that lists models now.
func (c windowChat) Ask(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
	if p.Further == "" {
		chosen, _, err := c.Choose(ctx, p.Model)
		if err != nil {
			return chat.Answer{}, err
		}
		c.remember(ctx, chosen)
		p.Model = chosen.UID
	}
	return c.Service.Ask(ctx, p, tell)
}

// remember stores a model for the next window, if its name stays valid.
func (c windowChat) remember(ctx context.Context, m chat.Model) {
	if !m.Storable() {
		return
	}
	text, err := json.Marshal(windowMemory{m.UID})
	if err == nil {
		err = c.store.Save(ctx, windowDocument, text)
	}
	if err != nil {
		c.logger.DebugContext(ctx, "last model not kept", slog.Any("err", err))
	}
}
