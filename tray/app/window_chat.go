package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"windsock/chat"
	"windsock/chat/models"
	"windsock/tray/window"
	"windsock/usage/history"
	"windsock/usage/poll"
)

// windowChat is how the window asks models.
type windowChat struct {
	s            surroundings
	poller       *poll.Poller
	store        *history.Store
	housekeeping *housekeeping // nil for none
	logger       *slog.Logger
}

// windowMemory is what is remembered of one window for the next.
type windowMemory struct {
	Model string `json:"model"`
}

// windowDocument is what the memory is kept under.
const windowDocument = "window"

// Models are those of the plan.
func (c windowChat) Models(ctx context.Context) (window.Models, error) {
	configured, variant, err := c.s.chatSettings()
	if err != nil {
		return window.Models{}, err
	}
	to, err := c.s.connect(ctx, variant)
	if err != nil {
		return window.Models{}, err
	}
	defer to.Close()
	all, err := models.Decode(to.Status)
	if err != nil {
		return window.Models{}, err
	}
	models := window.Models{Catalogue: all}
	if m, _, err := all.Default(configured); err == nil { // else none is, and the picker shows why
		models.Default = m.UID
	}
	var memory windowMemory
	if text, err := c.store.Load(ctx, windowDocument); err == nil && json.Unmarshal(text, &memory) == nil {
		models.Last = memory.Model
	}
	return models, nil
}

// Ask sends a prompt.
func (c windowChat) Ask(ctx context.Context, text, model string, tell func(chat.Event)) (chat.Answer, string, error) {
	configured, variant, err := c.s.chatSettings()
	if err != nil {
		return chat.Answer{}, model, err
	}
	to, err := c.s.connect(ctx, variant)
	if err != nil {
		return chat.Answer{}, model, err
	}
	defer to.Close()
	all, err := models.Decode(to.Status)
	if err != nil {
		return chat.Answer{}, model, err
	}
	chosen, err := choose(all, model, configured)
	if err != nil {
		return chat.Answer{}, model, err
	}
	c.remember(ctx, chosen)
	defer c.poller.PromptEnded()
	answer, err := to.Client.Ask(ctx, chat.Prompt{Text: text, Model: chosen.UID}, c.s.queue(), tell, c.logger)
	if failure, ok := errors.AsType[*chat.Failure](err); ok {
		if failure.Code == chat.QuotaExhausted {
			failure.Back = c.s.back(to.Status)
		}
		if failure.Code == chat.CascadeOff && c.housekeeping != nil {
			c.housekeeping.noCascade()
		}
	}
	return answer, chosen.UID, err
}

// choose is the model with a UID, whatever others are called, else the default.
func choose(all chat.Catalogue, uid, configured string) (chat.Model, error) {
	for _, m := range all.Models {
		if uid != "" && m.UID == uid && !m.Disabled {
			return m, nil
		}
	}
	if uid != "" {
		return all.Resolve(uid)
	}
	m, _, err := all.Default(configured)
	return m, err
}

// remember keeps a model for the next window, if its name means anything then.
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
