package acp

import (
	"fmt"

	"windsock/probe/terminal"
)

// Name is the agent for people, as a part of a sentence: "Devin's agent".
func (e *Engine) Name() string {
	p := e.parts.Profile
	if p.id == "custom" {
		return "the agent " + p.name
	}
	return p.name + "'s agent"
}

// Login says how to sign in to the agent, as a sentence.
func (e *Engine) Login() string { return e.parts.Profile.login }

// Offer is [Profile.Offer] of the engine's agent.
func (e *Engine) Offer(a About) []string { return e.parts.Profile.Offer(a) }

// Offer is what a person has to know before this agent is used for the first time, as
// paragraphs. It promises no more than is done, and says so.
func (p Profile) Offer(a About) []string {
	version := a.Version
	if version == "" {
		version = "version not told"
	}
	rules := ""
	if p.fence != nil {
		rules = " gives it rules at its start that deny it to write and to run commands,"
	}
	overhead := "thousands of tokens"
	if p.overhead > 0 {
		overhead = fmt.Sprintf("some %d,000 tokens", p.overhead/1000)
	}
	stays := "When the conversation is over, it is deleted where the agent can do that; else it stays in the agent's own list."
	if p.forgets {
		stays = "The conversation is deleted with the agent's directory, when Windsock ends the program."
	}
	return []string{
		"Windsock can send prompts to the agent of " + p.name + ", with this program: " + terminal.Line(a.Path) + " (" + version + ").",
		"Windsock starts it when you send a prompt or ask for its models, never by itself, and ends it at the latest two minutes after the answer. " +
			"The program signs in with its own login, sends the prompt to its maker's cloud, and reports its use there. " +
			"Each prompt uses your plan, and brings " + overhead + " of the agent's own text.",
		"It is an agent. It may read files, and start the MCP servers and hooks of your own settings. " +
			"Windsock offers it nothing, refuses each permission that it asks for," + rules + " gives it an empty directory and few variables, " +
			"and stops it at the first tool call that acts. That is no wall: a tool may have done its work by then, and an agent may do what it does not tell.",
		stays,
	}
}
