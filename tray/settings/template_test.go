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
	var c sample
	r := newReader([]byte(every.String()), settingsOf(&c))
	if !r.readAll() || len(r.problems) > 0 {
		t.Fatalf("with every key: %+v", r.problems)
	}
	if diff := cmp.Diff(sampleDefaults(), c); diff != "" {
		t.Errorf("with every key (-want +got):\n%s", diff)
	}
}
