package clean

import (
	"strings"
	"testing"

	pb "windsock/probe/languageserver"
)

func TestCascadeTitle(t *testing.T) {
	t.Parallel()
	named := func(title, summary string) *pb.CascadeTrajectorySummary {
		return &pb.CascadeTrajectorySummary{RenamedTitle: &title, Summary: summary}
	}
	tests := []struct {
		name    string
		summary *pb.CascadeTrajectorySummary
		want    string
	}{
		{"none", nil, "untitled"},
		{"empty", named("", ""), "untitled"},
		{"renamed", named("Mine", "Its"), "Mine"},
		{"summary", &pb.CascadeTrajectorySummary{Summary: "Its"}, "Its"},
		{"blank_name", named(" \t\u200b", "Its"), "Its"},
		{"only_control", named("\x1b[2J", "\x00\x07"), "untitled"},
		{"escapes", named("a\x1b[31mb\x1b[0m\x1b]0;owned\x07c", ""), "abc"},
		{"c1", named("a\u009b31mb", ""), "ab"},
		{"lines", named(" Fix\r\nthe\tlogin\u2028flow ", ""), "Fix the login flow"},
		{"direction", named("a\u202eb\u2066c", ""), "abc"},
		{"joined", named("\U0001F468\u200d\U0001F4BB", ""), "\U0001F468\u200d\U0001F4BB"},
		{"other_script", named("로그인 고치기", ""), "로그인 고치기"},
		{"invalid", named("a\xffb", ""), "ab"},
		{"longest", named(strings.Repeat("é", 200), ""), strings.Repeat("é", 200)},
		{"too_long", named(strings.Repeat("é", 201), ""), strings.Repeat("é", 199) + "…"},
		{"endless", named(strings.Repeat("é ", 1<<20), ""), strings.Repeat("é ", 99) + "é…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := cascadeTitle(tt.summary); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCascadeWorkspace(t *testing.T) {
	t.Parallel()
	s := &pb.CascadeTrajectorySummary{Workspaces: []*pb.CortexWorkspaceMetadata{
		nil, {WorkspaceFolderAbsoluteUri: "file:///"}, {GitRootAbsoluteUri: "file:///srv/first"}, {WorkspaceFolderAbsoluteUri: "file:///srv/second"},
	}}
	if got := cascadeWorkspace(s); got != "first" {
		t.Errorf("got %q", got)
	}
	if got := cascadeWorkspace(nil); got != "" {
		t.Errorf("of none: got %q", got)
	}
}
