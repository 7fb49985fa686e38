package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"windsock/chat"
	"windsock/chat/models"
	"windsock/chat/models/modelstest"
	"windsock/probe/probetest"
	"windsock/probe/say"
)

// modelsRun is a run of the command.
type modelsRun struct {
	raw, configured, columns string
	environ                  []string
}

func (r modelsRun) run(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	if r.raw == "" {
		r.raw = modelstest.Few
	}
	cmd := newModelsCommand(&modelsCommand{
		ModelsConfig: ModelsConfig{
			Service: func(string, string) *chat.Service { return serviceOf(lister{raw: r.raw}, r.configured) },
			PutAway: func(time.Duration) {},
		},
		consentCommand: consentCommand{Consent: Consent{Configured: func() (string, error) { return "", nil }}, console: console{
			lookup:   func(string) (string, bool) { return r.columns, r.columns != "" },
			environ:  append([]string{"TERM=dumb"}, r.environ...),
			terminal: func(any) bool { return true },
		}},
	})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var out, errs strings.Builder
	cmd.SetArgs(append([]string{}, args...))
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errs.String(), err
}

// lister is an engine that lists models, and answers nothing.
type lister struct {
	raw string
	err error
}

func (lister) ID() string { return chat.Cascade }

func (l lister) Models(context.Context) (chat.Catalogue, error) {
	if l.err != nil {
		return chat.Catalogue{}, l.err
	}
	return models.Decode([]byte(l.raw))
}

func (lister) Ask(context.Context, chat.Prompt, func(chat.Event)) (chat.Answer, error) {
	return chat.Answer{}, errors.New("not asked for")
}

func (lister) End(context.Context, string) chat.Leftover { return chat.NothingLeft }

func serviceOf(l lister, model string) *chat.Service {
	return chat.NewService(chat.ServiceParts{Engine: func() (chat.Engine, error) { return l, nil }, Model: func(string) (string, error) { return model, nil }})
}

func TestModelsGolden(t *testing.T) {
	t.Parallel()
	simulated := string(modelstest.Status(t))
	tests := []struct {
		name string
		run  modelsRun
		args []string
	}{
		{"table", modelsRun{}, nil},
		{"table_all", modelsRun{}, []string{"--all"}},
		{"table_narrow", modelsRun{columns: "60"}, []string{"--all"}},
		{"table_tiny", modelsRun{columns: "22"}, []string{"--all"}},
		{"table_colours", modelsRun{environ: []string{"TERM=xterm-256color", "CLICOLOR_FORCE=1"}}, []string{"--all"}},
		{"configured", modelsRun{configured: "gpt-5.2:high"}, nil},
		{"filter", modelsRun{}, []string{"opus"}},
		{"json", modelsRun{}, []string{"--json"}},
		{"simulated", modelsRun{raw: simulated, columns: "100"}, []string{"--all"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, errs, err := tt.run.run(t, tt.args...)
			if err != nil || errs != "" {
				t.Fatal(err, errs)
			}
			probetest.Golden(t, "models_"+tt.name+".txt", []byte(out))
		})
	}
}

func TestModelsErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		run  modelsRun
		args []string
		want string
		exit int
	}{
		{"no_list", modelsRun{raw: "{}"}, nil, "The editor's server lists no models, so there is none to take.", 1},
		{"no_list_json", modelsRun{raw: "{}"}, []string{"--json"}, "The editor's server lists no models, so there is none to take.", 1},
		{"bad_payload", modelsRun{raw: "<html>"}, nil, "The answer with the models is not a JSON object. Restart the editor, then try again.", 1},
		{"no_match", modelsRun{}, []string{"claude-opsu"}, "There is no model \"claude-opsu\". The nearest: Claude Opus 4.5. `windsock models` lists all.", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, errs, err := tt.run.run(t, tt.args...)
			failed, ok := errors.AsType[*chat.ModelError](err)
			if !ok || say.Sentence(failed, "") != tt.want || say.Exit(failed) != tt.exit || out+errs != "" {
				t.Errorf("%q, %q, %v", out, errs, err)
			}
		})
	}
}

// An unusable configured model is reported, and no other is marked.
func TestModelsConfiguredUnknown(t *testing.T) {
	t.Parallel()
	out, errs, err := modelsRun{configured: "opus-4.7"}.run(t)
	if err != nil || errs != "windsock: The configured model cannot be taken: Claude Opus 4.7 is disabled: Retired. Take Claude Opus 4.5.\n" {
		t.Errorf("%q, %v", errs, err)
	}
	if strings.Contains(out, "default") || strings.Contains(out, "names no model") {
		t.Error(out)
	}
}

func TestModelsAsks(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for _, tt := range []struct {
		args []string
		want string
	}{{nil, ""}, {[]string{"--variant", "windsurf"}, "windsurf"}} {
		asked := "nobody"
		cmd := NewModelsCommand(ModelsConfig{
			Service: func(variant, _ string) *chat.Service {
				asked = variant
				return serviceOf(lister{err: refused}, "")
			},
			Consent: Consent{Configured: func() (string, error) { return "", nil }}, PutAway: func(time.Duration) {},
		})
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(append([]string{}, tt.args...))
		if err := cmd.ExecuteContext(t.Context()); !errors.Is(err, refused) || asked != tt.want {
			t.Errorf("%v asks %q: %v", tt.args, asked, err)
		}
	}
}

func TestModelsJSON(t *testing.T) {
	t.Parallel()
	out, _, err := modelsRun{}.run(t, "--json")
	var got struct {
		Schema int
		Models []map[string]any
	}
	if err != nil || json.Unmarshal([]byte(out), &got) != nil || got.Schema != 1 || len(got.Models) != 10 {
		t.Fatal(err, out)
	}
	for _, m := range got.Models {
		if len(m) != 11 {
			t.Errorf("%v", m)
		}
	}
}

// No line is wider than the terminal, however narrow, and colours say nothing of
// their own.
func TestModelTableWidth(t *testing.T) {
	t.Parallel()
	c := modelstest.Decode(t, modelstest.Few)
	all := ansi.Strip(modelTable(c, modelChoice{}, true, 1<<20))
	for width := 2; width < 130; width++ {
		text := modelTable(c, modelChoice{}, true, width)
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			plain := ansi.Strip(line)
			if ansi.StringWidth(line) > width || plain != strings.TrimRight(plain, " ") {
				t.Errorf("%d: %q", width, plain)
			}
		}
		if width >= 110 && ansi.Strip(text) != all {
			t.Errorf("%d columns are enough", width)
		}
	}
}
