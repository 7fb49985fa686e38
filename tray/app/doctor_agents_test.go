//go:build !windows

package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/doctor"
)

// TestDoctorOfAgents: the agent of the settings is asked, another one that is there is
// only named, and one that is not there is left out.
func TestDoctorOfAgents(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home) // no agent of this computer
	t.Setenv("PATH", bin)
	program := func(name, script string) string {
		path := filepath.Join(bin, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const login = "if [ $1 = --version ]; then echo devin 3000.11.3; exit; fi\n"
	devin := program("devin", login+"echo you@example.com; exit 0")
	at := "is at " + devin
	tests := []struct {
		name, settings, devin string
		want                  []doctor.Step
	}{
		{
			"chosen", "engine = \"devin\"", login + "echo you@example.com; exit 0",
			[]doctor.Step{{Name: "devin", OK: true, Finding: at + ", devin 3000.11.3; signed in"}},
		},
		{
			"signed_out", "engine = \"devin\"", login + "exit 1",
			[]doctor.Step{{
				Name: "devin", Finding: at + ", devin 3000.11.3; not signed in, says devin auth status",
				Cure: "Run `devin auth login` in a terminal, then ask again.",
			}},
		},
		{
			"another_chosen", "engine = \"cursor\"", "touch " + filepath.Join(home, "ran"),
			[]doctor.Step{
				{Name: "devin", OK: true, Finding: at + "; not asked, since chat.engine does not name it"},
				{
					Name: "cursor", Finding: "The agent of Cursor is not on this computer, or not where Windsock looks for it",
					Cure: "Install Cursor's command line from cursor.com/cli, then ask again.",
				},
			},
		},
		{
			"undecided", "", "touch " + filepath.Join(home, "ran"),
			[]doctor.Step{{Name: "devin", OK: true, Finding: at + "; not asked, since chat.engine does not name it"}},
		},
	}
	for _, tt := range tests {
		program("devin", tt.devin)
		p := partsWith(t, "[chat]\n"+tt.settings+"\n")
		steps := p.checkAgents(p.newAgents(nil, quiet))(t.Context())
		for i := range steps {
			steps[i].Duration = 0
		}
		if diff := cmp.Diff(tt.want, steps, cmp.AllowUnexported(doctor.Step{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		for _, step := range steps {
			if strings.Contains(step.Finding, "example.com") {
				t.Errorf("%s tells %s", tt.name, step.Finding)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
		t.Error("an agent ran that was not chosen")
	}
}
