package settings

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"windsock/probe/say"
)

// told are the sentences of an error of the file, with their subjects.
func told(tb testing.TB, err error) []string {
	tb.Helper()
	if err == nil {
		return nil
	}
	var problems *BrokenError
	if !errors.As(err, &problems) || len(problems.Problems) == 0 {
		tb.Fatalf("error %v", err)
	}
	if got := say.Exit(err); got != 2 {
		tb.Errorf("exit code %d", got)
	}
	var all []string
	for _, p := range problems.Problems {
		all = append(all, strings.TrimPrefix(p.Sentence(), Name))
	}
	return all
}

// If the file is something else entirely, not every line is reported.
func TestManyProblems(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 22 {
		fmt.Fprintf(&text, "k%d = 1\n", i)
	}
	_, err := parse(text.String())
	got := say.Sentence(err, "")
	if n := strings.Count(got, "there is no key k"); n != 20 || !strings.HasSuffix(got, "\nThere are 2 more.") {
		t.Errorf("%d are told: %s", n, got)
	}
}
