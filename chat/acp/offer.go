package acp

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"windsock/probe/terminal"
)

// offerWidth is the width of the offer's lines.
const offerWidth = 78

// Offer is what a person has to know before this agent is used for the first time. It
// promises no more than is done, and says so.
func (p Profile) Offer(a About) string {
	version := a.Version
	if version == "" {
		version = "not told"
	}
	rules := ""
	if p.fence != nil {
		rules = " gives it rules at its start that deny it to write and to run commands,"
	}
	overhead := "thousands of tokens"
	if p.overhead > 0 {
		overhead = fmt.Sprintf("some %d,000 tokens", p.overhead/1000)
	}
	stays := "The conversation is deleted after the answer where the agent can do that; else it stays in the agent's own list."
	if p.forgets {
		stays = "The conversation is deleted with the agent's directory, at the latest two minutes after the answer."
	}
	paragraphs := []string{
		"Windsock can send prompts to the agent of " + p.name + ", with this program:",
		"  program   " + terminal.Line(a.Path) + "\n  version   " + version,
		"Windsock starts it when you send a prompt or ask for its models, never by itself, and ends it at the latest two minutes after the answer. " +
			"The program signs in with its own login, sends the prompt to its maker's cloud, and reports its use there. " +
			"Each prompt uses your plan, and brings " + overhead + " of the agent's own text.",
		"It is an agent. It may read files, and start the MCP servers and hooks of your own settings. " +
			"Windsock offers it nothing, refuses each permission that it asks for," + rules + " gives it an empty directory and few variables, " +
			"and stops it at the first tool call that acts. That is no wall: a tool may have done its work by then, and an agent may do what it does not tell.",
		stays,
	}
	for i, text := range paragraphs {
		if !strings.HasPrefix(text, " ") {
			paragraphs[i] = ansi.Wordwrap(text, offerWidth, "")
		}
	}
	return strings.Join(paragraphs, "\n\n") + "\n"
}
