package status

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/usage/poll"
	"windsock/usage/words"
)

// waybarSeen is Waybar's reading of a line, with the markup parsed.
type waybarSeen struct {
	Text, Alt, Tooltip string
	Class              []string
	Percentage         *float64
}

func readWaybar(tb testing.TB, all poll.Plans, text string) waybarSeen {
	tb.Helper()
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		tb.Fatalf("not one line: %q", text)
	}
	var seen waybarSeen
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&seen); err != nil {
		tb.Fatalf("%v in %q", err, text)
	}
	seen.Text, seen.Tooltip = readPango(tb, seen.Text), readPango(tb, seen.Tooltip)
	if seen.Text == "" || strings.Contains(seen.Text, "\n") || seen.Tooltip == "" {
		tb.Fatalf("text %q, tooltip %q", seen.Text, seen.Tooltip)
	}
	for _, class := range append(seen.Class, seen.Alt) {
		if class == "" || strings.ContainsAny(class, " .#") {
			tb.Fatalf("class %q", class)
		}
	}
	if len(seen.Class) == 0 || seen.Class[0] != seen.Alt {
		tb.Fatalf("alt %q beside classes %q", seen.Alt, seen.Class)
	}
	for _, s := range all {
		for _, l := range (words.Words{}).Lines(s.Snapshot) {
			if !strings.Contains(seen.Tooltip, l.Label+": ") {
				tb.Fatalf("no %s in %q", l.Label, seen.Tooltip)
			}
		}
	}
	if p := seen.Percentage; p != nil && (*p < 0 || *p > 100) {
		tb.Fatalf("percentage %v", *p)
	}
	return seen
}

// readPango is the text of Pango markup as used here: XML without a root element, with
// five entities.
func readPango(tb testing.TB, markup string) string {
	tb.Helper()
	var text strings.Builder
	d := xml.NewDecoder(strings.NewReader("<markup>" + markup + "</markup>"))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			tb.Fatalf("%v in markup %q", err, markup)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if !slices.Contains([]string{"markup", "b"}, token.Name.Local) || len(token.Attr) > 0 {
				tb.Fatalf("element %v in %q", token, markup)
			}
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
		default:
			tb.Fatalf("%T in markup %q", token, markup)
		}
	}
}

func TestWaybarMarkup(t *testing.T) {
	t.Parallel()
	i := slices.IndexFunc(formatCases, func(c formatCase) bool { return c.name == "markup" })
	s := formatCases[i].state(t)
	got := readWaybar(t, alone(s), writeWaybar(alone(s), words.Words{}))
	full := 100.0
	want := waybarSeen{
		Text: "100%", Alt: "ok", Class: []string{"ok", "auto_top_up"}, Percentage: &full,
		Tooltip: `Wind<b>surf</b> | color=red · -- R&D :fire: \n "#(date)" #[fg=red] {x} it's red ---
Prompt credits: 500 of 500 left (100 %)
Auto top-up is on. It has spent 2,000 of 16,000 a month (the
server states no unit).`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
