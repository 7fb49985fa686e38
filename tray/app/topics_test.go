package app

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
)

// TestTopics: each page is a topic, README links to it, and help prints it as it is.
func TestTopics(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir("help")
	if err != nil || len(files) != len(topics) {
		t.Fatalf("%d pages (%v), %d topics", len(files), err, len(topics))
	}
	readme := document(t, "README.md")
	for i, page := range helpPages() {
		if !strings.Contains(readme, "("+page+")") {
			t.Errorf("README does not link to %s", page)
		}
		root := newRoot(personal())
		var out strings.Builder
		root.SetOut(&out)
		root.SetArgs([]string{"help", topics[i].name})
		if err := root.Execute(); err != nil || strings.TrimSpace(out.String()) != strings.TrimSpace(document(t, page)) {
			t.Errorf("help %s: %v, %q", topics[i].name, err, out.String())
		}
	}
}

// TestTopicsFit: outside of code, the pages fit a terminal of 100 columns.
func TestTopicsFit(t *testing.T) {
	t.Parallel()
	for _, page := range helpPages() {
		code := false
		for line := range strings.Lines(document(t, page)) {
			code = code != strings.HasPrefix(line, "```")
			if width := ansi.StringWidth(strings.TrimSpace(line)); !code && width > 100 {
				t.Errorf("%s: %d columns: %s", page, width, line)
			}
		}
	}
}

var (
	helpNamed = regexp.MustCompile(`windsock help (\w+)`)
	flagNamed = regexp.MustCompile(`windsock ([a-z-]+(?: [a-z-]+)?) --help`)
)

// TestHelpNamed: where a text sends a reader for more, there is something.
func TestHelpNamed(t *testing.T) {
	t.Parallel()
	root := newRoot(personal())
	texts := map[string]string{}
	var add func(cmd *cobra.Command)
	add = func(cmd *cobra.Command) {
		texts[cmd.CommandPath()] = strings.Join(strings.Fields(cmd.Long), " ")
		for _, sub := range cmd.Commands() {
			add(sub)
		}
	}
	add(root)
	texts["README"] = strings.Join(strings.Fields(document(t, "README.md")), " ")
	named := 0
	for where, text := range texts {
		for _, pattern := range []*regexp.Regexp{helpNamed, flagNamed} {
			for _, to := range pattern.FindAllStringSubmatch(text, -1) {
				named++
				if _, rest, err := root.Find(strings.Fields(to[1])); (err != nil || len(rest) > 0) && to[1] != "NAME" {
					t.Errorf("%s names %q", where, to[0])
				}
			}
		}
	}
	if named < 15 {
		t.Errorf("found %d names only", named)
	}
}
