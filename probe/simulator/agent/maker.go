package agent

import (
	"os"
	"path/filepath"
	"slices"
)

// fields are a message in JSON.
type fields map[string]any

// maker is what differs between the agents (PROTOCOL.md 11.6).
type maker struct {
	name, version string
	info          fields
	capabilities  fields
	authMethods   []fields
	modes         []mode
	models        []model
	// old says that a session also tells its choices in the way of before.
	old bool
	// dirVariable names the directory of settings and conversations.
	dirVariable string
	// usage says that it tells what a prompt cost.
	usage bool
	// stays says that it does not end with its input once it has had a prompt.
	stays bool
	// shell is the rule that denies commands.
	shell string
}

type mode struct{ id, name, about string }

type model struct {
	id, name string
	credits  float64 // of a prompt
}

// makerOf returns the maker of a program of that name.
func makerOf(name string) maker {
	if name == Cursor {
		return maker{
			name: Cursor, version: "2026.10.01-simulated", old: true, dirVariable: "CURSOR_CONFIG_DIR", stays: true, shell: "Shell(*)",
			info:         fields{"name": "cursor-agent", "version": "2026.10.01"},
			capabilities: fields{"loadSession": true, "promptCapabilities": fields{"image": true}},
			authMethods:  []fields{{"id": "cursor_login", "name": "Cursor Login"}},
			modes: []mode{
				{"agent", "Agent", "Full agent capabilities with tool access"},
				{"plan", "Plan", "Plans before changes"},
				{"ask", "Ask", "Questions and answers"},
			},
			models: []model{{id: "auto", name: "Auto"}, {id: "composer-3", name: "Composer 3"}},
		}
	}
	return maker{
		name: Devin, version: "devin 3000.11.3 (simulated)", usage: true, shell: "exec",
		info: fields{"name": "affogato", "title": "Devin Agent", "version": "0.0.0-dev"},
		capabilities: fields{
			"loadSession": true, "promptCapabilities": fields{"image": true, "audio": false, "embeddedContext": true},
			"mcpCapabilities":     fields{"http": false, "sse": false},
			"sessionCapabilities": fields{"list": fields{}, "delete": fields{}}, "auth": fields{},
		},
		authMethods: []fields{{"id": "devin-browser", "name": "Log in with browser", "description": "Sign in via your browser"}},
		modes: []mode{
			{"accept-edits", "Code", "Write and edit code"},
			{"smart", "Smart", "Auto-approve actions the model judges safe"},
			{"ask", "Ask", "Answer questions without code changes"},
			{"plan", "Plan", "Plan changes before implementing"},
			{"bypass", "Bypass Permissions", "Auto-approve all tool calls"},
		},
		models: []model{
			{"swe-1-6-slow", "SWE-1.6 Slow", 0},
			{"claude-opus-4-7-medium", "Claude Opus 4.7 Medium", 6},
			{"gpt-5-4-high", "GPT-5.4 High", 4},
		},
	}
}

// denied reports whether the settings deny commands: those of --config, or those of the
// directory that a variable names.
func (p *program) denied() bool {
	rules := p.deny
	if dir := os.Getenv(p.maker.dirVariable); p.maker.dirVariable != "" && dir != "" {
		more, err := readDeny(filepath.Join(dir, "cli-config.json"))
		if err == nil {
			rules = append(rules, more...)
		}
	}
	return slices.Contains(rules, p.maker.shell)
}

// session is a conversation.
type session struct {
	id, mode, model string
	told            bool // it is on the disk
	credits         float64
}

// options are a session's choices.
func (p *program) options(s *session) []fields {
	modes, models := make([]fields, 0, len(p.modes())), make([]fields, 0, len(p.maker.models))
	for _, m := range p.modes() {
		modes = append(modes, fields{"value": m.id, "name": m.name, "description": m.about})
	}
	for _, m := range p.maker.models {
		models = append(models, fields{"value": m.id, "name": m.name, "_meta": fields{"cognition.ai/supportsImages": true}})
	}
	return []fields{
		{"id": "mode", "name": "Session Mode", "category": "mode", "type": "select", "currentValue": s.mode, "options": modes},
		{"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": s.model, "options": models},
	}
}

// modes are those that the agent has.
func (p *program) modes() []mode {
	if p.has(Daring) {
		return []mode{{"bypass", "Bypass Permissions", "Auto-approve all tool calls"}}
	}
	return p.maker.modes
}

// created is the response to session/new.
func (p *program) created(s *session) fields {
	response := fields{"sessionId": s.id}
	if !p.has(EarlyOptions) {
		response["configOptions"] = p.options(s)
	}
	if p.maker.old {
		modes, models := make([]fields, 0, len(p.modes())), make([]fields, 0, len(p.maker.models))
		for _, m := range p.modes() {
			modes = append(modes, fields{"id": m.id, "name": m.name})
		}
		for _, m := range p.maker.models {
			models = append(models, fields{"modelId": m.id, "name": m.name})
		}
		response["modes"] = fields{"currentModeId": s.mode, "availableModes": modes}
		response["models"] = fields{"currentModelId": s.model, "availableModels": models}
	}
	return response
}
