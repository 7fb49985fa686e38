package settings

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// told are the sentences of an error of the file, with what each is about.
func told(tb testing.TB, err error) []string {
	tb.Helper()
	if err == nil {
		return nil
	}
	var problems *BrokenError
	if !errors.As(err, &problems) || len(problems.Problems) == 0 {
		tb.Fatalf("error %v", err)
	}
	if problems.ExitCode() != 2 {
		tb.Errorf("exit code %d", problems.ExitCode())
	}
	var all []string
	for _, p := range problems.Problems {
		all = append(all, strings.TrimPrefix(p.Sentence(), Name))
	}
	return all
}

func TestBrokenErrorTellsTheFirst(t *testing.T) {
	t.Parallel()
	_, err := parse(strings.Repeat("a = 1\n", 12))
	var problems *BrokenError
	if !errors.As(err, &problems) {
		t.Fatal(err)
	}
	if got := strings.Count(problems.Sentence(), "there is no key a;"); got != 10 {
		t.Errorf("%d are told", got)
	}
	if _, last, _ := strings.Cut(problems.Sentence(), "\nThere are "); last != "2 more; `windsock config --check` tells them all." {
		t.Errorf("ends with %q", last)
	}
	if got := strings.Count((&checkError{problems}).Sentence(), "there is no key a;"); got != 12 {
		t.Errorf("--check tells %d", got)
	}
	want := "read config: config.toml, line 1: there is no key a; there are [usage], [tray], [api], [log] (and 11 more)"
	if problems.Error() != want {
		t.Errorf("error %q", problems.Error())
	}
}

// TestParseGivesUp: a file that is something else costs no more than one
// that is wrong in some places.
func TestParseGivesUp(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&text, "k%d = 1\n", i)
	}
	_, err := parse(text.String())
	all := told(t, err)
	if len(all) != maxProblems+1 || all[maxProblems] != ", line 100: so much is wrong up to here that the rest was not read." {
		t.Errorf("%d problems, the last %q", len(all), all[len(all)-1])
	}
}
