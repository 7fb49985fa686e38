package words

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
)

func TestHeading(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		s    usage.Snapshot
		want string
	}{
		{"nothing_known", usage.Snapshot{}, "Windsurf"},
		{"product", usage.Snapshot{Plan: usage.Plan{Product: usage.Antigravity}, PlanName: "Pro"}, "Antigravity · Pro"},
		{"app_before_product", usage.Snapshot{Source: usage.Source{App: "Antigravity IDE"}, Plan: usage.Plan{Product: usage.Antigravity}}, "Antigravity IDE"},
		{"saved", usage.Snapshot{Source: usage.Source{Kind: usage.KindFile}, Plan: usage.Plan{Product: usage.Antigravity}}, "Saved answer"},
		{"status_line", usage.Snapshot{Source: usage.Source{Kind: usage.KindStatusLine}, Plan: usage.Plan{Product: usage.Antigravity}}, "Antigravity"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Heading(tt.s); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestHeadings(t *testing.T) {
	t.Parallel()
	plan := func(app, name string) usage.Snapshot {
		return usage.Snapshot{Source: usage.Source{App: app}, PlanName: name}
	}
	tests := []struct {
		name  string
		plans []usage.Snapshot
		marks []string
		want  []string
	}{
		{"none", nil, nil, []string{}},
		{"one", []usage.Snapshot{plan("Windsurf", "Pro")}, []string{"3fa91c"}, []string{"Windsurf · Pro"}},
		{
			"told_apart_by_the_app",
			[]usage.Snapshot{plan("Windsurf", "Pro"), plan("Windsurf Next", "Pro")},
			[]string{"3fa91c", "0b77d2"},
			[]string{"Windsurf · Pro", "Windsurf Next · Pro"},
		},
		{
			"told_apart_by_the_plan",
			[]usage.Snapshot{plan("Windsurf", "Pro"), plan("Windsurf", "Teams")},
			[]string{"3fa91c", "0b77d2"},
			[]string{"Windsurf · Pro", "Windsurf · Teams"},
		},
		{
			"told_apart_by_the_mark",
			[]usage.Snapshot{plan("Windsurf", "Pro"), plan("Antigravity", "Pro"), plan("Windsurf", "Pro")},
			[]string{"3fa91c", "", "2"},
			[]string{"Windsurf · Pro (3fa91c)", "Antigravity · Pro", "Windsurf · Pro (2)"},
		},
		{
			"without_marks",
			[]usage.Snapshot{plan("Windsurf", "Pro"), plan("Windsurf", "Pro")},
			[]string{"", ""},
			[]string{"Windsurf · Pro", "Windsurf · Pro"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, Headings(tt.plans, tt.marks)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
