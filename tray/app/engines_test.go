package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"windsock/chat"
	"windsock/probe"
	"windsock/probe/signin"
	"windsock/tray/settings"
	"windsock/usage/poll"
)

// partsWith are parts with a settings file of that text, and no editor.
func partsWith(t *testing.T, text string) parts {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, settings.Name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return parts{
		newFinder: func(...probe.Option) *probe.Finder {
			return probe.NewFinder(probe.WithProcesses(func(int) bool { return false }))
		},
		signIns:  func() signin.Dirs { return signin.Below(dir) },
		settings: configAt(path), stateDir: dir, runtimeDir: dir, clock: time.Now, serverNow: time.Now, speed: 1,
	}
}

// chosen is the engine of a service and the model that it asks where none is named.
func chosen(t *testing.T, s *chat.Service) [2]string {
	t.Helper()
	engine, err := s.Engine()
	if err != nil {
		t.Fatal(err)
	}
	all := chat.Catalogue{Models: []chat.Model{{UID: "other"}, {UID: "mine", Label: "mine"}}}
	m, _, err := s.Default(all)
	if err != nil {
		t.Fatal(err)
	}
	return [2]string{engine, m.UID}
}

// TestWhoAsksWhom: the window and ask follow the settings; what asks for other programs
// stays with Cascade.
func TestWhoAsksWhom(t *testing.T) {
	t.Parallel()
	const devin = "[chat]\nengine = \"devin\"\nmodel = \"mine\"\n"
	const undecided = "[chat]\nmodel = \"mine\"\n"
	p := partsWith(t, devin)
	agents := p.newAgents(nil, quiet)
	window, api := p.appServices(&poll.Poller{}, p.newHousekeeping(nil, quiet), agents, nil, quiet)
	command := func(o override) *chat.Service { return p.asking(o, agents, nil, quiet) }
	tests := []struct {
		name, settings string
		of             *chat.Service
		want           [2]string
	}{
		{"window", devin, window, [2]string{"devin", "mine"}},
		{"api", devin, api, [2]string{"cascade", "other"}},
		{"ask", devin, command(override{}), [2]string{"devin", "mine"}},
		{"ask_cascade", devin, command(override{engine: chat.Cascade}), [2]string{"cascade", "other"}},
		{"ask_cursor", devin, command(override{engine: "cursor"}), [2]string{"cursor", "other"}},
		{"model_named", devin, command(override{engine: "cursor", model: "mine"}), [2]string{"cursor", "mine"}},
		{"window_later", undecided, window, [2]string{"cascade", "mine"}},
		{"api_later", undecided, api, [2]string{"cascade", "mine"}},
		{"ask_devin", undecided, command(override{engine: "devin"}), [2]string{"devin", "other"}},
		{"custom", "[chat]\nengine = \"custom\"\nagent = [\"opencode\", \"acp\"]\n", window, [2]string{"custom", "other"}},
	}
	for _, tt := range tests {
		if err := os.WriteFile(p.settings.Path, []byte(tt.settings), 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, chosen(t, tt.of)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestCustomFollowsItsCommand: another command is another engine, the same one is not.
func TestCustomFollowsItsCommand(t *testing.T) {
	t.Parallel()
	p := partsWith(t, "")
	agents := p.newAgents(nil, quiet)
	defer agents.close()
	first, err := agents.of("custom", []string{"opencode", "acp"})
	again, _ := agents.of("custom", []string{"opencode", "acp"})
	other, _ := agents.of("custom", []string{"opencode"})
	if err != nil || first != again || first == other {
		t.Errorf("%p, %p, %p, %v", first, again, other, err)
	}
	if _, err := agents.of("custom", nil); err == nil {
		t.Error("an engine without a command")
	}
}

// TestTabStartsNoAgent: models are completed from Cascade alone.
func TestTabStartsNoAgent(t *testing.T) {
	t.Parallel()
	ran := filepath.Join(t.TempDir(), "ran")
	agent := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(agent, []byte("#!/bin/sh\ntouch "+ran+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := partsWith(t, "[chat]\nengine = \"custom\"\nagent = [\""+filepath.ToSlash(agent)+"\"]\n")
	for _, args := range [][]string{nil, {"--engine", "custom"}} {
		root := newRoot(p)
		cmd, _, err := root.Find([]string{"ask"})
		if err != nil {
			t.Fatal(err)
		}
		cmd.SetContext(t.Context())
		if err := cmd.ParseFlags(args); err != nil {
			t.Fatal(err)
		}
		if names, directive := p.completeModel(cmd, nil, ""); len(names) > 0 || directive != cobra.ShellCompDirectiveNoFileComp {
			t.Errorf("%v: %q, %v", args, names, directive)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the agent ran")
	}
}
