package chat_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/chat/models/modelstest"
	"windsock/probe/say"
	"windsock/probe/terminal"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"uid", "claude-opus-4-7-medium", "Claude Opus 4.7 Medium"},
		{"uid_in_capitals", "MODEL_SWE_1_5", "SWE-1.5 (legacy)"},
		{"label", " claude opus 4.7 thinking ", "Claude Opus 4.7 Thinking"},
		{"colon", "gpt-5.2:high", "GPT-5.2 High"},
		{"colon_codex", "gpt-codex-5.2:high-fast", "GPT-Codex 5.2 High Fast"},
		{"colon_with_two", "claude-opus-4.5:thinking high", "Claude Opus 4.5 High Thinking"},
		{"x_high", "gpt-5.4:xhigh", "GPT-5.4 X-High"},
		{"x_high_of_label", "gpt-5.4:x-high", "GPT-5.4 X-High"},
		{"any_order", "claude-4.5-opus", "Claude Opus 4.5"},
		{"any_order_of_uid", "opus_4-5_claude", "Claude Opus 4.5"},
		{"variant_in_any_order", "thinking-claude-4.6-sonnet", "Claude Sonnet 4.6 Thinking"},
		{"plain_first", "opus 4.5", "Claude Opus 4.5"},
		{"plain_version_four", "sonnet 4", "Claude Sonnet 4"},
		{"point_zero", "claude-sonnet-4.0", "Claude Sonnet 4"},
		{"family", "haiku", "Claude Haiku 4.5"},
		{"part_of_word", "hai", "unknown_model: Claude Haiku 4.5, Claude Haiku 4.5 Fast"},
		{"alias", "AUTO", "Auto"},
		{"private_by_label", "penguin", "Penguin Alpha"},
		{"private_by_uid", "model_private_1", "Penguin Alpha"},
		{"one_word_of_uid", "gemini 3 flash high", "Gemini 3 Flash High"},
		{"disabled_passed_over", "opus 4.7", "Claude Opus 4.7"},

		{"disabled", "claude-opus-4-7-byok", "disabled_model: Claude Opus 4.7 (own key)"},
		{"disabled_alone", "own key", "disabled_model: Claude Opus 4.7 (own key)"},
		{"version_not_completed", "gpt-5", "unknown_model: GPT-5.4 Low, GPT-5.4 Medium, GPT-5.4 High"},
		{"version_not_run_together", "gpt54", "unknown_model: GPT-5.4 Low, GPT-5.4 Medium, GPT-5.4 High"},
		{"several", "gpt-5.4", "ambiguous_model: GPT-5.4 Low"},
		{"several_families", "opus", "ambiguous_model: Claude Opus 4.7"},
		{"slip", "claude-sonet-4.6", "unknown_model: Claude Sonnet 4.6, Claude Sonnet 4.6 Thinking, Claude Sonnet 4.6 Low"},
		{"end_of_word", "mini", "unknown_model: Kimi K2.6, Kimi K2.5, Gemini 3.1 Pro Low"},
		{"private_not_taken_apart", "private", "unknown_model"},
		{"no_words", "?!", "unknown_model"},
		{"empty", " ", "unknown_model"},
		{"endless", strings.Repeat("claude ", 50), "unknown_model"},
	}
	c := modelstest.Simulated(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := c.Resolve(tt.text)
			got := m.Label
			if failed, ok := errors.AsType[*chat.ModelError](err); ok {
				got = string(failed.Code)
				var labels []string
				for _, m := range failed.Candidates {
					labels = append(labels, m.Label)
				}
				if failed.Code == "ambiguous_model" {
					labels = labels[:1]
				}
				if len(labels) > 0 {
					got += ": " + strings.Join(labels, ", ")
				}
				if say.Exit(failed) != 2 || failed.Error() == "" {
					t.Errorf("exit code %d, %v", say.Exit(failed), failed)
				}
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestResolveAmong(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		models chat.Catalogue
		text   string
		want   string // a UID or a sentence
	}{
		{"enabled_of_two_labels", modelstest.Listed("!Opus|a", "Opus|b"), "opus", "b"},
		{"two_labels", modelstest.Listed("Opus|a", "Opus|b"), "opus", `"opus" may be Opus (a) or Opus (b). Name one of them.`},
		{"two_private_labels", modelstest.Listed("Opus|a", "Opus|MODEL_PRIVATE_1"), "opus", `"opus" may be Opus (a) or Opus. Name one of them.`},
		{"uid_beats_label", modelstest.Listed("b|a", "a|b"), "a", "a"},
		{"one_uid_twice", modelstest.Listed("Opus Blue|a", "Opus Red|a"), "opus", "a"},
		{"words_of_uid", modelstest.Listed("Das Werk|opus-4-5", "Anderes|sonnet-4-5"), "4.5 opus", "opus-4-5"},
		{"only_a_later_version", modelstest.Listed("Claude Opus 4.5"), "claude-opus-4", "There is no model \"claude-opus-4\". The nearest: Claude Opus 4.5. `windsock models` lists all."},
		{"many", modelstest.Listed("A 1", "A 2", "A 3", "A 4", "A 5", "A 6", "A 7", "A 8"), "a", `"a" may be A 1, A 2, A 3, A 4, A 5, A 6 or one of 2 more. Name one of them.`},
		{"disabled_without_reason", modelstest.Listed("!Opus"), "opus", "Opus is disabled, and the server does not say why. Name another model."},
		{"several_disabled", modelstest.Listed("!Opus Blue", "!Opus Red", "Auto"), "opus", `"opus" may be Opus Blue or Opus Red. Name one of them.`},
		{"near_are_enabled", modelstest.Listed("!Opus"), "opas", "There is no model \"opas\". `windsock models` lists all."},
		{"none", chat.Catalogue{}, "opus", "The editor's server lists no models, so there is none to take."},
		{"name_with_escapes", modelstest.Listed("Auto"), "\x1b[31mz\n", "There is no model \"z\". `windsock models` lists all."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := tt.models.Resolve(tt.text)
			got := m.UID
			if failed, ok := errors.AsType[*chat.ModelError](err); ok {
				got = say.Sentence(failed, "")
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Every label and every UID names its own model, and a label does so in any
// order of its words.
func TestResolveItself(t *testing.T) {
	t.Parallel()
	c := modelstest.Simulated(t)
	for _, m := range c.Models {
		reversed := strings.Fields(m.Label)
		for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
			reversed[i], reversed[j] = reversed[j], reversed[i]
		}
		for _, name := range []string{m.UID, m.Label, strings.ToUpper(m.Label), strings.Join(reversed, ":")} {
			got, err := c.Resolve(name)
			if failed, ok := errors.AsType[*chat.ModelError](err); ok && m.Disabled && failed.Code == "disabled_model" {
				got = failed.Candidates[0]
			}
			if diff := cmp.Diff(m, got); diff != "" {
				t.Errorf("%q: %v\n%s", name, err, diff)
			}
		}
	}
}

func TestDefault(t *testing.T) {
	t.Parallel()
	server := modelstest.Listed("A", "B", "C")
	server.Models[1].Recommended = true
	server.Models[2].ServerDefault = true
	off := modelstest.Listed("!A", "B", "C", "!D")
	off.Models[0].ServerDefault, off.Models[0].Recommended = true, true
	off.Models[2].Recommended = true
	tests := []struct {
		name       string
		models     chat.Catalogue
		configured string
		want       string // a UID and a rule, or a code and a sentence
	}{
		{"configured", server, "b", "b configured"},
		{"server", server, " ", "c server"},
		{"recommended", off, "", "c recommended"},
		{"first", modelstest.Listed("!A", "B"), "", "b first"},
		{"configured_unknown", server, "zz", "unknown_model The configured model cannot be taken: There is no model \"zz\". `windsock models` lists all."},
		{"configured_disabled", off, "d", "disabled_model The configured model cannot be taken: D is disabled, and the server does not say why. Name another model."},
		{"all_disabled", modelstest.Listed("!A", "!B"), "", "no_models All models are disabled; `windsock models` says why."},
		{"none", chat.Catalogue{}, "", "no_models The editor's server lists no models, so there is none to take."},
		{"none_for_configured", chat.Catalogue{}, "a", "no_models The editor's server lists no models, so there is none to take."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, rule, err := tt.models.Default(tt.configured)
			got := m.UID + " " + string(rule)
			if failed, ok := errors.AsType[*chat.ModelError](err); ok {
				got = string(failed.Code) + " " + say.Sentence(failed, "")
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestMatching(t *testing.T) {
	t.Parallel()
	c := modelstest.Listed("GPT-5.2 High", "GPT-5.1", "!Claude Opus 4.5", "Claude Opus 4", "Penguin|MODEL_PRIVATE_1")
	tests := []struct{ text, want string }{
		{"opus", "Claude Opus 4.5, Claude Opus 4"},
		{"4.5-opus", "Claude Opus 4.5"},
		{"opus 4", "Claude Opus 4.5, Claude Opus 4"},
		{"gpt 5", "GPT-5.2 High, GPT-5.1"},
		{"ENG", "Penguin"},
		{"private", ""},
		{"?", ""},
	}
	for _, tt := range tests {
		var labels []string
		for _, m := range c.Matching(tt.text).Models {
			labels = append(labels, m.Label)
		}
		if got := strings.Join(labels, ", "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, name := range []string{"gpt-5.2:high", "claude-4.5-opus", "opus45", "\x00", "4.", "x-high", "ǅ 4o", "٤.٥", strings.Repeat("a", 300)} {
		f.Add(name, "Claude Opus 4.5")
	}
	simulated := modelstest.Simulated(f)
	f.Fuzz(func(t *testing.T, name, label string) {
		small := modelstest.Listed("Claude Opus 4.5", "!GPT-5.2 High", "Auto")
		if label = terminal.Line(label); label != "" {
			small.Models = append(small.Models, chat.Model{UID: "fuzzed", Label: label})
		}
		for _, c := range []chat.Catalogue{small, simulated} {
			m, err := c.Resolve(name)
			if failed, ok := errors.AsType[*chat.ModelError](err); ok {
				if said := say.Sentence(failed, ""); said != terminal.Line(said) || say.Exit(failed) != 2 {
					t.Errorf("%q", said)
				}
				continue
			}
			if m.Disabled || m.UID == "" {
				t.Errorf("%+v", m)
			}
			if again, err := c.Resolve(m.UID); err != nil || again.UID != m.UID {
				t.Errorf("%q: %v", m.UID, err)
			}
			_ = c.Matching(name)
		}
	})
}

func BenchmarkResolve(b *testing.B) {
	c := modelstest.Simulated(b)
	for _, name := range []string{"claude-opus-4-7", "opus 4.5", "claude-sonet-4.6"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = c.Resolve(name)
			}
		})
	}
}
