package app

import (
	"context"
	"log/slog"

	"windsock/tray/instance"
	"windsock/tray/shortcut"
	"windsock/tray/window"
)

// newShortcut binds the key of the settings to the prompt. The window is there when it
// runs.
func (p parts) newShortcut(c config, logger *slog.Logger, w func() *window.Window) *shortcut.Service {
	return shortcut.New(shortcut.Options{
		Config: c.Prompt, Log: logger, Changed: func() { w().Reread() },
		Press: func(ctx context.Context) {
			// It ends when a browser was started.
			go showRequested(ctx, w(), instance.Request{View: string(window.Prompt)}, logger)
		},
		Refused: func() {
			if err := p.set(func(c *config) { c.Prompt.Key = "" }, "Remove prompt.key"); err != nil {
				logger.Warn("refused key stays in the settings", slog.Any("err", err))
			}
		},
	})
}
