package chat

import (
	"testing"

	"windsock/probe/say"
)

func TestComesBack(t *testing.T) {
	t.Parallel()
	for back, want := range map[string]string{
		"": "The plan has nothing left for this model: Your weekly quota has been exhausted. Choose a model that costs less, or wait for the reset.",
		"There is more on Wed 04:30": "The plan has nothing left for this model: Your weekly quota has been exhausted. " +
			"Choose a model that costs less, or wait. There is more on Wed 04:30.",
	} {
		f := &Failure{Code: QuotaExhausted, App: "Windsurf", Words: "Your weekly quota has been exhausted."}
		f.Back = back
		if got := say.Sentence(f, ""); got != want {
			t.Errorf("sentence of %q:\n%s\nwant\n%s", back, got, want)
		}
	}
}

// A script tells by the exit code that a login is missing, whichever engine it is of.
func TestFailureExit(t *testing.T) {
	t.Parallel()
	for code, want := range map[Code]int{NotSignedIn: 4, TurnFailed: 1, AgentMissing: 1} {
		if got := say.Exit(&Failure{Code: code, App: "Devin"}); got != want {
			t.Errorf("%s: %d, want %d", code, got, want)
		}
	}
}
