package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTemplateIsTheDefaults takes it as it is, and with every key in it.
func TestTemplateIsTheDefaults(t *testing.T) {
	t.Parallel()
	text := template(t)
	got, err := parse(text)
	if diff := cmp.Diff(sampleDefaults(), got); diff != "" || err != nil {
		t.Errorf("as it is: %v (-want +got):\n%s", err, diff)
	}
	var every strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "# ") {
			every.WriteString(strings.TrimPrefix(line, "#"))
		}
	}
	got, err = parse(every.String())
	if diff := cmp.Diff(sampleDefaults(), got); diff != "" || err != nil {
		t.Errorf("with every key: %v (-want +got):\n%s", err, diff)
	}
}
