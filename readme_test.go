package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"windsock/probe"
)

var (
	fencedShell = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	// windsockCall is windsock with its arguments, up to what the shell does with it.
	windsockCall = regexp.MustCompile(`(?m)(?:^|[ (|/])windsock"? ([^|&<>;)#\n]*)`)
	quotedText   = regexp.MustCompile(`"[^"]*"`)
)

// TestReadmeCommands: what README has a person run is a command with such flags.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
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

// parses reports what is wrong with a command line, without running it.
func parses(args []string) error {
	cmd, rest, err := newRoot(surroundings{newFinder: probe.NewFinder}).Find(args)
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
