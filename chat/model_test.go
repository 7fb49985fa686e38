package chat

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"windsock/probe/simulator"
)

// simulatedAnswer is what a simulated server says to GetUserStatus.
var simulatedAnswer = sync.OnceValues(func() ([]byte, error) {
	s, err := simulator.New(simulator.Config{At: time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/exa.language_server_pb.LanguageServerService/GetUserStatus",
		strings.NewReader(`{"metadata":{"apiKey":"sk-ws-01-test"}}`))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Codeium-Csrf-Token", s.Token())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	cancel()
	<-ended
	return raw, err
})

func simulatedRaw(tb testing.TB) []byte {
	tb.Helper()
	raw, err := simulatedAnswer()
	if err != nil || len(raw) < 50_000 {
		tb.Fatalf("%d bytes, %v", len(raw), err)
	}
	return raw
}

func decodeModels(tb testing.TB, raw string) Catalogue {
	tb.Helper()
	c, err := DecodeModels([]byte(raw))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func simulatedModels(tb testing.TB) Catalogue {
	tb.Helper()
	return decodeModels(tb, string(simulatedRaw(tb)))
}

// catalogue has a model for each line, "label", "label|uid", with a ! before a
// disabled one.
func catalogue(lines ...string) Catalogue {
	var c Catalogue
	for _, line := range lines {
		line, disabled := strings.CutPrefix(line, "!")
		label, uid, ok := strings.Cut(line, "|")
		if !ok {
			uid = strings.ToLower(strings.NewReplacer(" ", "-", ".", "-").Replace(label))
		}
		c.Models = append(c.Models, Model{UID: uid, Label: label, Disabled: disabled})
	}
	return c
}
