package tray

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat/openai"
)

func TestRenderLocalAPI(t *testing.T) {
	t.Parallel()
	serving := func(requests int) *openai.State {
		return &openai.State{On: true, Port: 42100, Requests: requests}
	}
	tests := []struct {
		name string
		api  *openai.State
		want Row
		note string
	}{
		{"none", nil, Row{}, ""},
		{"off", &openai.State{}, Row{Label: "Local API"}, ""},
		{"starting", &openai.State{On: true}, Row{Label: "Local API", Checked: true}, ""},
		{"on", serving(0), Row{Label: "Local API · port 42100", Checked: true}, ""},
		{"one_request", serving(1), Row{Label: "Local API · 1 request", Checked: true}, ""},
		{"requests", serving(2), Row{Label: "Local API · 2 requests", Checked: true}, ""},
		{"problem", &openai.State{On: true, Problem: "It is served already."}, Row{Label: "Local API", Checked: true}, "It is served already."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := full(polled(t, creditsAnswer, 2*time.Minute))
			s.API = tt.api
			v := render(s)
			if diff := cmp.Diff(tt.want, v.Rows[RowAPI]); diff != "" || v.Rows[rowNote].Label != tt.note {
				t.Errorf("note %q (-want +got):\n%s", v.Rows[rowNote].Label, diff)
			}
		})
	}
}

func TestActorLocalAPI(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		states := make(chan openai.State, 1)
		s := play(t, func(a *App) {
			a.API = states
			a.SwitchAPI = func(on bool) error { // which cannot be switched off
				if !on {
					return spokenError{"", "The settings cannot be written."}
				}
				states <- openai.State{On: on}
				return nil
			}
		})
		shows := func(what string, want Row) {
			t.Helper()
			synctest.Wait()
			if diff := cmp.Diff(want, s.seen().Rows[RowAPI]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		shows("before it is known", Row{})
		states <- openai.State{}
		shows("off", Row{Label: "Local API"})
		s.click(RowAPI)
		shows("switched on", Row{Label: "Local API", Checked: true})
		states <- openai.State{On: true, Port: 42100, Requests: 2}
		shows("busy", Row{Label: "Local API · 2 requests", Checked: true})
		s.click(RowAPI)
		synctest.Wait()
		if got := s.label(rowNote); got != "The settings cannot be written." {
			t.Errorf("failure: %q", got)
		}
	})
}
