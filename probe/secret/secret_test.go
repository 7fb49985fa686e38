package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretShowsNowhere(t *testing.T) {
	t.Parallel()
	const hidden = "sk-ws-01-hidden"
	type outer struct {
		Key    Secret
		key    Secret
		nested struct{ token *Secret }
	}
	s := New(hidden)
	value := outer{Key: s, key: s}
	value.nested.token = &s

	var printed bytes.Buffer
	for verb := range strings.SplitSeq("v +v #v s q d x X o b c U e f g p t T 10s -10v 010d .2s", " ") {
		for _, v := range []any{s, &s, value, &value, []Secret{s}, map[string]Secret{"k": s}} {
			fmt.Fprintf(&printed, "%"+verb+"\n", v)
		}
	}
	fmt.Fprintln(&printed, s, value, fmt.Errorf("with %v: %w", s, fmt.Errorf("%+v", value)))
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	printed.Write(encoded)
	for _, handler := range []slog.Handler{slog.NewTextHandler(&printed, nil), slog.NewJSONHandler(&printed, nil)} {
		slog.New(handler).Info("m", slog.Any("secret", s), slog.Any("struct", value), slog.Any("pointer", &value))
	}
	for _, form := range []string{hidden, fmt.Sprintf("%x", hidden), fmt.Sprintf("%X", hidden), "[115 107"} {
		if strings.Contains(printed.String(), form) {
			t.Errorf("shows %q in:\n%s", form, printed.String())
		}
	}
	if !strings.Contains(string(encoded), Redacted) {
		t.Errorf("JSON is %s", encoded)
	}
	if s.Reveal() != hidden || !s.Equal(New(hidden)) || s.Equal(Secret{}) || !(Secret{}).Empty() {
		t.Error("the secret does not hold what it was given")
	}
}
