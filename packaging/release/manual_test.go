package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestManual(t *testing.T) {
	t.Parallel()
	c := companions{manual: make(map[string][]byte)}
	commands := `{"Use": "windsock", "Short": "Shows it", "Runnable": true, "Commands": [
		{"Use": "status", "Short": "Show it once", "Runnable": true, "Flags": [
			{"Name": "at", "Usage": "take ` + "`TIME`" + ` for the present", "Type": "string"},
			{"Name": "cached", "Usage": "take what is kept", "Type": "bool", "Default": "false", "NoOpt": "true"},
			{"Name": "format", "Shorthand": "f", "Usage": "write it as ` + "`FORM`" + `", "Type": "string", "Default": "text"},
			{"Name": "print-env", "Usage": "for a ` + "`SHELL`" + `", "Type": "string", "NoOpt": "auto"},
			{"Name": "secret", "Usage": "not told", "Type": "bool", "Default": "false", "Hidden": true}]}]}`
	if err := c.writeManual([]byte(commands), source{time: time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"windsock-status.1", "windsock.1"}, sortedKeys(c.manual)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	page := string(c.manual["windsock-status.1"])
	for _, want := range []string{
		`"WINDSOCK-STATUS" "1" "Feb 2026" "Windsock"`, "Show it once", `write it as \fBFORM\fR`,
		"\\fB--at\\fP \\fITIME\\fP\n", "\\fB--cached\\fP\n", `\fB-f\fP, \fB--format\fP \fIFORM\fP (default text)`, "\\fB--print-env\\fP[=\\fISHELL\\fP]\n", "\\fB--help\\fP\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "secret") {
		t.Errorf("the page tells of a hidden flag:\n%s", page)
	}
}
