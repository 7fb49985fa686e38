package app

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"windsock/chat/acp"
	"windsock/probe/cloud"
	"windsock/probe/signin"
)

var (
	fencedShell = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	// windsockCall is windsock with its arguments, up to the shell's syntax.
	windsockCall = regexp.MustCompile(`(?m)(?:^|[ (|/])windsock"? ([^|&<>;)#\n]*)`)
	quotedText   = regexp.MustCompile(`"[^"]*"`)
)

// TestReadmeCommands: what README has a person run is a command with such flags.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join(project, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, block := range fencedShell.FindAllSubmatch(readme, -1) {
		for _, call := range windsockCall.FindAllSubmatch(block[1], -1) {
			line := strings.TrimSpace(string(call[1]))
			checked++
			if err := parses(strings.Fields(quotedText.ReplaceAllString(line, "text"))); err != nil {
				t.Errorf("windsock %s: %v", line, err)
			}
		}
	}
	if checked < 20 {
		t.Errorf("found %d commands only", checked)
	}
}

var (
	fencedRecipe = regexp.MustCompile("(?ms)^```(?:crontab|ini|jsonc|tmux|toml)\n(.*?)^```$")
	// recipeCall is a command in the settings of another program, up to what ends it there.
	recipeCall = regexp.MustCompile(`windsock ((?:status|--headless)[^"'|)#\n]*)`)
)

// TestReadmeRecipes: what README has other programs run is a command with such flags.
func TestReadmeRecipes(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, block := range fencedRecipe.FindAllStringSubmatch(document(t, "README.md"), -1) {
		for _, call := range recipeCall.FindAllStringSubmatch(block[1], -1) {
			checked++
			if err := parses(strings.Fields(call[1])); err != nil {
				t.Errorf("windsock %s: %v", call[1], err)
			}
		}
	}
	if checked < 3 {
		t.Errorf("found %d commands only", checked)
	}
}

// TestReadmeOffer: README quotes what a person is told before an agent is started.
func TestReadmeOffer(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join(project, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	at := acp.About{Path: "/usr/share/devin-desktop/resources/app/extensions/windsurf/devin/bin/devin", Version: "devin 3000.11.3"}
	if quote := "\n> " + strings.Join(acp.Devin.Offer(at), "\n>\n> ") + "\n\n"; !strings.Contains(string(readme), quote) {
		t.Errorf("README does not have%s", quote)
	}
}

// TestReadmePair: README's and the help's commands about a saved answer are those of a
// script, in its order, so that pasting them one after the other has the script's
// results.
func TestReadmePair(t *testing.T) {
	t.Parallel()
	const script = "e2e/testdata/script/readme.txt"
	want := savedCalls(t, script)
	if len(want) != 2 {
		t.Fatalf("%s has %q", script, want)
	}
	readme := savedCalls(t, filepath.Join(project, "README.md")) // the first one is about bug reports
	if len(readme) == 0 || !slices.Equal(readme[1:], want) {
		t.Errorf("README has %q, want %q", readme, want)
	}
	cmd, _, err := newRoot(personal()).Find([]string{"status"})
	if err != nil {
		t.Fatal(err)
	}
	if help := savedCall.FindAllString(cmd.Example, -1); !slices.Equal(help, want) {
		t.Errorf("the help has %q, want %q", help, want)
	}
}

// savedCall is a command about answer.json, without a comment behind it.
var savedCall = regexp.MustCompile(`windsock [^#\n]*answer\.json(?: [^ #\n]+)*`)

func savedCalls(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return savedCall.FindAllString(string(text), -1)
}

// parses returns the error of a command line, without running it.
func parses(args []string) error {
	cmd, rest, err := newRoot(personal()).Find(args)
	if err != nil {
		return err
	}
	if cmd.DisableFlagParsing || len(rest) == 0 {
		return cmd.ValidateArgs(nil)
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// TestReadmeWording: README quotes what a person is told before they allow a sign-in.
func TestReadmeWording(t *testing.T) {
	t.Parallel()
	readme := document(t, "README.md")
	hosts := map[string]string{"devin-cli": "server.codeium.com", "cursor": "api2.cursor.sh"}
	for _, source := range cloud.Sources(signin.Below(t.TempDir())) {
		host, quoted := hosts[source.Name]
		if !quoted {
			continue
		}
		delete(hosts, source.Name)
		if quote := "\n> " + strings.Join(source.Wording(host), "\n>\n> ") + "\n\n"; !strings.Contains(readme, quote) {
			t.Errorf("README does not have%s", quote)
		}
	}
	if len(hosts) > 0 {
		t.Errorf("no such sign-in: %v", hosts)
	}
}
