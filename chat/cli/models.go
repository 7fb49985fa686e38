package cli

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"windsock/chat"
	"windsock/chat/models"
	"windsock/probe/say"
	"windsock/probe/terminal"
)

// ModelsConfig has the parts of `windsock models`.
type ModelsConfig struct {
	// Service is as in AskConfig.
	Service func(variant, engine string) *chat.Service
	Consent Consent
	// PutAway is told how long the command needs after a Ctrl-C.
	PutAway func(time.Duration)
}

// modelsCommand is `windsock models` with the process's streams.
type modelsCommand struct {
	ModelsConfig
	consentCommand

	variant   string
	all, json bool
}

// NewModelsCommand is `windsock models`.
func NewModelsCommand(c ModelsConfig) *cobra.Command {
	return newModelsCommand(&modelsCommand{ModelsConfig: c, consentCommand: consentCommand{Consent: c.Consent, console: newConsole()}})
}

func newModelsCommand(c *modelsCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models [NAME]",
		Short: "List the plan's models",
		Long: `List the models that the plan has, in the editor's order, and what a prompt to each costs
in credits. A price that the server does not tell is unknown.

With a name, only the models with that name are listed. A model can be named by its label,
its UID, or words of them that fit no other: claude-4.5-opus and "opus 4.5" are both
Claude Opus 4.5, and gpt-5.2:high is GPT-5.2 High.

--json has the disabled models, too, and why they are disabled.

With --engine devin, or another agent, the agent is started and asked for its models. It
gets no prompt, and it does not tell what its models cost. "windsock help agents" says when
you are asked first.`,
		Example: `  windsock models
  windsock models opus
  windsock models --all
  windsock models --engine devin
  windsock models --json | jq -r '.models[] | select(.credit_multiplier == 0).uid'`,
		Args: cobra.ArbitraryArgs,
		RunE: c.run,
	}
	flags := cmd.Flags()
	flags.BoolVar(&c.all, "all", false, "show the disabled models too, and why they are")
	flags.BoolVar(&c.json, "json", false, "write JSON, schema 1")
	c.addFlags(cmd)
	flags.StringVar(&c.variant, "variant", "", "ask only the editor `NAME`, such as windsurf-next")
	return cmd
}

func (c *modelsCommand) run(cmd *cobra.Command, args []string) error {
	if err := c.seek(cmd); err != nil {
		return err
	}
	service := c.Service(c.variant, c.engine)
	engine, err := service.Engine()
	if err != nil {
		return err
	}
	if chat.IsAgent(engine) {
		if err := writeText(cmd.ErrOrStderr(), "windsock: starting the agent of the engine "+engine+", to ask it for its models\n"); err != nil {
			return err
		}
	}
	c.PutAway(chat.TidyTime + time.Second)
	all, err := service.Models(cmd.Context())
	c.PutAway(0)
	switch {
	case err != nil:
		return err
	case len(all.Models) == 0:
		return &chat.ModelError{Code: chat.NoModels, Engine: engine}
	}
	chosen, err := c.choose(cmd, service, all)
	if err != nil {
		return err
	}
	shown := all
	filter := strings.TrimSpace(strings.Join(args, " "))
	if filter != "" {
		if shown = all.Matching(filter); len(shown.Models) == 0 {
			unmatched := all.Unmatched(filter)
			unmatched.Engine = engine
			return unmatched
		}
	}
	if c.json {
		return writeModels(cmd.OutOrStdout(), engine, shown, chosen)
	}
	width := c.width(cmd.OutOrStdout())
	text := modelTable(shown, chosen, c.all, width)
	if filter == "" && chosen.rule != "" {
		text += "\n" + modelLines("A prompt that names no model goes to "+chosen.model.Label+", "+ruleText(engine, chosen.rule)+".", width, "")
	}
	return writeText(terminal.Colours(cmd.OutOrStdout(), c.environ), text)
}

// modelChoice is the model for a prompt that names none.
type modelChoice struct {
	model chat.Model
	rule  chat.DefaultRule // "" if there is none
}

func (d modelChoice) is(m chat.Model) bool {
	return d.rule != "" && m.UID == d.model.UID && m.Label == d.model.Label
}

// choose returns the default model. It reports an unusable configured model, and takes
// no other in its place.
func (*modelsCommand) choose(cmd *cobra.Command, service *chat.Service, all chat.Catalogue) (modelChoice, error) {
	m, rule, err := service.Default(all)
	failed, ok := errors.AsType[*chat.ModelError](err)
	switch {
	case err == nil, ok && !failed.Configured: // if all are disabled, the table says so
		return modelChoice{m, rule}, nil
	case !ok:
		return modelChoice{}, err
	}
	return modelChoice{}, writeText(cmd.ErrOrStderr(), "windsock: "+say.Sentence(failed, "")+"\n")
}

var ruleWords = map[chat.DefaultRule]string{
	chat.DefaultConfigured:  "as configured",
	chat.DefaultServer:      "the editor's default",
	chat.DefaultRecommended: "the first that is recommended",
	chat.DefaultFirst:       "the first of the list",
}

// ruleText says why a model is the default.
func ruleText(engine string, rule chat.DefaultRule) string {
	if rule == chat.DefaultServer && chat.IsAgent(engine) {
		return "the agent's own choice"
	}
	return ruleWords[rule]
}

func writeModels(out io.Writer, engine string, shown chat.Catalogue, chosen modelChoice) error {
	reports := make([]models.Report, 0, len(shown.Models))
	for _, m := range shown.Models {
		reports = append(reports, models.NewReport(m, chosen.is(m)))
	}
	return writeJSON(out, struct {
		Schema int             `json:"schema"`
		Engine string          `json:"engine"`
		Models []models.Report `json:"models"`
	}{1, engine, reports})
}
