package probe

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
)

func TestFailureTable(t *testing.T) {
	t.Parallel()
	type row struct {
		Exit            int
		Sentence, Error string
	}
	cause := errors.New("cause")
	got := map[Code]row{}
	for code := range failureTable {
		f := &Failure{code: code, app: "Devin Desktop", finding: "finding", cause: cause}
		got[code] = row{say.Exit(f), say.Sentence(f, ""), fmt.Errorf("refresh usage: %w", f).Error()}
		if !errors.Is(f, cause) {
			t.Errorf("%s hides its cause", code)
		}
	}
	want := map[Code]row{
		NotRunning: {
			3, "Devin Desktop is not running: finding. Start Devin Desktop and try again.",
			"refresh usage: not_running: Devin Desktop: finding: cause",
		},
		NoToken: {
			3, "Devin Desktop runs, but its language server shows no access token: finding. Run Windsock as the user who started Devin Desktop, then restart Devin Desktop and try again.",
			"refresh usage: no_token: Devin Desktop: finding: cause",
		},
		NoPort: {
			3, "Devin Desktop runs, but its language server does not answer: finding. If Devin Desktop has just started, try again in a moment; else restart Devin Desktop.",
			"refresh usage: no_port: Devin Desktop: finding: cause",
		},
		Rejected: {
			4, "The language server of Devin Desktop refuses the access token that it was started with: finding. Restart Devin Desktop and try again.",
			"refresh usage: rejected: Devin Desktop: finding: cause",
		},
		NotSignedIn: {
			4, "Devin Desktop is not signed in: finding. Sign in to Devin Desktop, then try again.",
			"refresh usage: not_signed_in: Devin Desktop: finding: cause",
		},
		Timeout: {
			1, "Devin Desktop did not answer in time: finding. Try again in a moment; if it stays so, restart Devin Desktop.",
			"refresh usage: timeout: Devin Desktop: finding: cause",
		},
		BadResponse: {
			1, "Devin Desktop gave an answer that cannot be used: finding. Try again in a moment; if it stays so, restart Devin Desktop.",
			"refresh usage: bad_response: Devin Desktop: finding: cause",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	plain := &Failure{code: NotRunning, app: "Windsurf"}
	if got, want := say.Sentence(plain, ""), "Windsurf is not running. Start Windsurf and try again."; got != want {
		t.Errorf("Sentence() = %q, want %q", got, want)
	}
}

func TestFurther(t *testing.T) {
	t.Parallel()
	first, second := &Failure{code: NoPort, app: "Windsurf"}, &Failure{code: NoPort, app: "Windsurf Next"}
	running, signedOut := &Failure{code: NotRunning}, &Failure{code: NotSignedIn}
	tests := []struct {
		name       string
		a, b, want *Failure
	}{
		{"nothing_yet", nil, running, running},
		{"nothing_new", running, nil, running},
		{"first_of_equals", first, second, first},
		{"later_is_further", running, signedOut, signedOut},
		{"earlier_is_further", signedOut, running, signedOut},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := further(tt.a, tt.b); got != tt.want {
				t.Errorf("further = %v", got)
			}
		})
	}
}
