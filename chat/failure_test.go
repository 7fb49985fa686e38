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
