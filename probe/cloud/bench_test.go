package cloud

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// A question beside the same request by a bare client: what reading the sign-in, the checks
// and the composition add. Both have a connection that stays open.
func BenchmarkAsk(b *testing.B) {
	m := newMaker(b, func(w http.ResponseWriter, _ *http.Request, _ string) { _, _ = io.WriteString(w, planAnswer) })
	client, source := m.client(), newHome(b).devin(token, "")
	b.Run("windsock", func(b *testing.B) {
		// CloseIdleConnections would end the connection after each question.
		client.Transport = keepsOpen{client.Transport}
		for b.Loop() {
			if _, err := client.Ask(b.Context(), Question{Source: source, Host: "server.codeium.com"}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		bare := &http.Client{Transport: m.client().Transport}
		for b.Loop() {
			request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "https://server.codeium.com"+seats+"GetPlanStatus", strings.NewReader("{}"))
			if err != nil {
				b.Fatal(err)
			}
			response, err := bare.Do(request)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, response.Body); err != nil {
				b.Fatal(err)
			}
			_ = response.Body.Close()
		}
	})
}

type keepsOpen struct{ http.RoundTripper }
