package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/chat/models/modelstest"
	"windsock/probe/say"
)

// answering is an engine that answers, or fails.
type answering struct {
	lister

	id   string
	fail error
	sent *[]string // "engine: prompt" of each prompt
}

func (a answering) ID() string { return a.id }

func (a answering) Ask(_ context.Context, p chat.Prompt, _ func(chat.Event)) (chat.Answer, error) {
	*a.sent = append(*a.sent, a.id+": "+p.Text)
	return chat.Answer{Text: "Hi.", Ref: "r", Sent: true, Tokens: &chat.Tokens{Input: 13622, Output: 40}}, a.fail
}

// consented is a run of `windsock ask hello` by a person.
type consented struct {
	configured  string // the engine
	typed       string // at the question
	script      bool   // nobody sees a question
	missing     bool   // the agent's program is
	cascadeOff  bool
	prompts     []string // that were sent
	kept        []string // engines
	out, screen string
}

func (c *consented) run(t *testing.T, args ...string) error {
	t.Helper()
	missing := &chat.Failure{Code: chat.AgentMissing, App: "Devin"}
	config := AskConfig{
		Service: func(_, engine string) *chat.Service {
			e := answering{lister: lister{raw: modelstest.Few}, id: engine, sent: &c.prompts}
			if engine == "" {
				e.id = c.configured
			}
			if !chat.IsAgent(e.id) {
				e.id = chat.Cascade
				if c.cascadeOff {
					e.fail = &chat.Failure{Code: chat.CascadeOff, App: "Devin Desktop"}
				}
			}
			return chat.NewService(chat.ServiceParts{
				Engine: func() (chat.Engine, error) { return e, nil }, Model: func(string) (string, error) { return "", nil },
			})
		},
		Consent: Consent{
			Configured: func() (string, error) { return c.configured, nil },
			Found:      func(string) bool { return !c.missing },
			Wording: func(_ context.Context, engine string) (string, []string, error) {
				if c.missing {
					return "", nil, missing
				}
				return engine + "'s agent", []string{"What to know of " + engine + "."}, nil
			},
			Keep: func(engine string) error {
				c.kept = append(c.kept, engine)
				return nil
			},
		},
		Drain: func(context.Context) {}, PutAway: func(time.Duration) {},
	}
	cmd := newAskCommand(&askCommand{AskConfig: config, consentCommand: consentCommand{Consent: config.Consent, console: console{
		lookup:   func(string) (string, bool) { return "", false },
		terminal: func(any) bool { return !c.script },
	}}})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var out, screen strings.Builder
	cmd.SetArgs(append([]string{"hello"}, args...))
	cmd.SetIn(strings.NewReader(c.typed))
	cmd.SetOut(&out)
	cmd.SetErr(&screen)
	err := cmd.ExecuteContext(t.Context())
	c.out, c.screen = out.String(), screen.String()
	return err
}

// TestConsent: an agent gets a prompt only from a person who has been told of it and has
// said yes, from one who has chosen it before, or from a script that names it.
func TestConsent(t *testing.T) {
	t.Parallel()
	const (
		toDevin   = "devin: hello"
		toCascade = "cascade: hello"
	)
	tests := []struct {
		name    string
		of      consented
		args    string
		prompts []string
		kept    []string
		asked   bool // and told
		code    string
		exit    int
	}{
		{name: "cascade", prompts: []string{toCascade}},
		{name: "cascade_named", of: consented{configured: "devin"}, args: "--engine cascade", prompts: []string{toCascade}},
		{name: "yes", of: consented{typed: "y\n"}, args: "--engine devin", asked: true, prompts: []string{toDevin}},
		{name: "always", of: consented{typed: "always\n"}, args: "--engine devin", asked: true, prompts: []string{toDevin}, kept: []string{"devin"}},
		{name: "no", of: consented{typed: "n\n"}, args: "--engine devin", asked: true, exit: 1},
		{name: "just_enter", of: consented{typed: "\n"}, args: "--engine devin", asked: true, exit: 1},
		{name: "input_ended", args: "--engine devin", asked: true, exit: 1},
		{name: "another_one_is_configured", of: consented{configured: "cursor"}, args: "--engine devin", asked: true, exit: 1},
		{name: "configured", of: consented{configured: "devin"}, prompts: []string{toDevin}},
		{name: "configured_and_named", of: consented{configured: "devin"}, args: "--engine devin", prompts: []string{toDevin}},
		{name: "flag_yes", args: "--engine devin --yes", prompts: []string{toDevin}},
		{name: "script", of: consented{script: true}, args: "--engine devin", prompts: []string{toDevin}},
		{name: "missing", of: consented{missing: true}, args: "--engine devin", code: "agent_missing", exit: 1},
		{name: "unknown", args: "--engine clippy", exit: say.ExitUsage},

		{name: "off_yes", of: consented{cascadeOff: true, typed: "yes\n"}, asked: true, prompts: []string{toCascade, toDevin}},
		{name: "off_always", of: consented{cascadeOff: true, typed: "a\n"}, asked: true, prompts: []string{toCascade, toDevin}, kept: []string{"devin"}},
		{name: "off_no", of: consented{cascadeOff: true, typed: "n\n"}, asked: true, prompts: []string{toCascade}, kept: []string{"cascade"}, exit: 1},
		{name: "off_was_answered", of: consented{cascadeOff: true, configured: "cascade"}, prompts: []string{toCascade}, code: "cascade_off", exit: 1},
		{name: "off_named", of: consented{cascadeOff: true}, args: "--engine cascade", prompts: []string{toCascade}, code: "cascade_off", exit: 1},
		{name: "off_without_agent", of: consented{cascadeOff: true, missing: true}, prompts: []string{toCascade}, code: "cascade_off", exit: 1},
		{name: "off_in_a_script", of: consented{cascadeOff: true, script: true}, prompts: []string{toCascade}, code: "cascade_off", exit: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			of := tt.of
			if of.script {
				of.typed = ""
			}
			err := of.run(t, strings.Fields(tt.args)...)
			if diff := cmp.Diff(tt.prompts, of.prompts); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.kept, of.kept); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			if told := strings.Contains(of.screen, "What to know of devin."); told != tt.asked {
				t.Errorf("told %v: %s", told, of.screen)
			}
			if (err != nil) != (tt.exit != 0) || err != nil && say.Exit(err) != tt.exit || say.Code(err) != tt.code {
				t.Errorf("ends with %v, %q, want %d, %q", err, say.Code(err), tt.exit, tt.code)
			}
		})
	}
}

// TestOfferInAScript: the sentence names what a person can do.
func TestOfferInAScript(t *testing.T) {
	t.Parallel()
	of := consented{cascadeOff: true, script: true}
	err := of.run(t, "--json")
	if got := say.Sentence(err, ""); !strings.Contains(got, "`windsock ask --engine devin` in a terminal") || !strings.Contains(of.out, `"cascade_off"`) {
		t.Errorf("%s\n%s", got, of.out)
	}
	if errors.Is(err, errUnwanted) {
		t.Error("nobody was asked")
	}
}
