package nearest_test

import (
	"strings"
	"testing"

	"windsock/probe/nearest"
)

func TestOf(t *testing.T) {
	t.Parallel()
	names := []string{"variant", "verbose", "version", "json", "port", "model"}
	for name, want := range map[string]string{
		"vrsion": "version", "VERSION": "version", "v": "variant verbose version", "jsno": "json", "prt": "port", "moedl": "model",
		"x": "", "": "", "something": "", strings.Repeat("a", 1000): "",
	} {
		if got := strings.Join(nearest.Of(name, names), " "); got != want {
			t.Errorf("%.20q: %q, want %q", name, got, want)
		}
	}
}
