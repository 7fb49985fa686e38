package tray

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"fyne.io/systray"

	"windsock/tray/icon"
)

// iconSetter passes icons as files, since Windows loads them from files. systray
// itself would write them to the common temporary directory under predictable names,
// and leave them there. It keeps one handle per file, and the set of icons is limited.
type iconSetter struct {
	dir  string
	full fullTip
}

// before does nothing: there is no icon yet to set.
func (*iconSetter) before(icon.Icon) {}

func (s *iconSetter) set(i icon.Icon) {
	if err := s.load(i); err != nil {
		slog.Warn("icon not set", slog.Any("err", err))
	}
	s.full.push() // systray has just sent its own again, which is cut
}

func (s *iconSetter) tip(text string) {
	systray.SetTooltip(text) // it comes back when Explorer restarts
	s.full.text = text
	s.full.push()
}

func (s *iconSetter) load(i icon.Icon) error {
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "windsock-icons-")
		if err != nil {
			return err
		}
		s.dir = dir
	}
	file := filepath.Join(s.dir, strings.NewReplacer("/", "-", " ", "-").Replace(i.String())+".ico")
	if _, err := os.Stat(file); err != nil {
		if err := os.WriteFile(file, i.Tray("windows"), 0o600); err != nil {
			return err
		}
	}
	return systray.SetIconFromFilePath(file)
}

func (s *iconSetter) close() {
	if s.dir != "" {
		_ = os.RemoveAll(s.dir) // the system cleans up the rest
	}
}

// setTitle does nothing: there is no place beside the icon.
func setTitle(string) {}

// escapeLabel doubles the ampersands: a menu takes a single one as the mark of a key.
func escapeLabel(text string) string { return strings.ReplaceAll(text, "&", "&&") }

// onActivate does nothing: a click opens the menu.
func onActivate(context.Context, func()) {}
