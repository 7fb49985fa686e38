package app

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	fencedShell = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	// windsockCall is windsock with its arguments, up to the shell's syntax.
	windsockCall = regexp.MustCompile(`(?m)(?:^|[ (|/])windsock"? ([^|&<>;)#\n]*)`)
	quotedText   = regexp.MustCompile(`"[^"]*"`)
)

// calls are the commands of README's and the help's code blocks that a pattern matches.
func calls(t *testing.T, block, call *regexp.Regexp) []string {
	t.Helper()
	var all []string
	for _, name := range append(helpPages(), "README.md") {
		for _, b := range block.FindAllStringSubmatch(document(t, name), -1) {
			for _, c := range call.FindAllStringSubmatch(b[1], -1) {
				all = append(all, quotedText.ReplaceAllString(strings.TrimSpace(c[1]), "text"))
			}
		}
	}
	return all
}

// TestReadmeCommands: what README and the help have a person run is a command with such
// flags.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	checkCalls(t, calls(t, fencedShell, windsockCall), 40)
}

var (
	fencedRecipe = regexp.MustCompile("(?ms)^```(?:crontab|ini|jsonc|tmux|toml)\n(.*?)^```$")
	// recipeCall is a command in the settings of another program, up to what ends it there.
	recipeCall = regexp.MustCompile(`windsock ((?:status|--headless)[^"'|)#\n]*)`)
)

// TestReadmeRecipes: what the help has other programs run is a command with such flags.
func TestReadmeRecipes(t *testing.T) {
	t.Parallel()
	checkCalls(t, calls(t, fencedRecipe, recipeCall), 5)
}

func checkCalls(t *testing.T, calls []string, atLeast int) {
	t.Helper()
	if len(calls) < atLeast {
		t.Errorf("found %d commands only", len(calls))
	}
	for _, line := range calls {
		if err := parses(strings.Fields(line)); err != nil {
			t.Errorf("windsock %s: %v", line, err)
		}
	}
}

// TestReadmePair: the commands of the help about a saved answer are those of a script, in
// its order, so that pasting them one after the other has the script's results.
func TestReadmePair(t *testing.T) {
	t.Parallel()
	const script = "e2e/testdata/script/readme.txt"
	want := savedCalls(t, script)
	if len(want) != 2 {
		t.Fatalf("%s has %q", script, want)
	}
	if page := savedCalls(t, "help/scripts.md"); !slices.Equal(page, want) {
		t.Errorf("the page about scripts has %q, want %q", page, want)
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
