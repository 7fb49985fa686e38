package app

import (
	"embed"

	"github.com/spf13/cobra"
)

//go:embed help/*.md
var pages embed.FS

// topics are the pages that are about no one command, with what the list of commands says
// of them. README names them and links to their files.
var topics = []struct{ name, about string }{
	{"agents", "Ask an agent where the editor has no Cascade"},
	{"api", "The plan's models in Codex, opencode and other programs"},
	{"bars", "Waybar, tmux, xbar, starship, i3status-rust, Prometheus"},
	{"figures", "What the figures mean, and whether they last"},
	{"headless", "Without a desktop: systemd"},
	{"icon", "The icon, its menu and the warnings"},
	{"privacy", "What Windsock reads, keeps and sends"},
	{"scripts", "Exit codes and JSON"},
	{"trouble", "When it does not work"},
	{"window", "The window, and a key for it"},
}

// newTopics are the commands without a deed that `windsock help` shows the pages of.
func newTopics() []*cobra.Command {
	commands := make([]*cobra.Command, 0, len(topics))
	for _, topic := range topics {
		page, _ := pages.ReadFile("help/" + topic.name + ".md") // TestTopics: each is there
		commands = append(commands, &cobra.Command{Use: topic.name, Short: topic.about, Long: string(page)})
	}
	return commands
}
