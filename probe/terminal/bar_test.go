package terminal

import (
	"io"
	"strings"
	"testing"
)

func TestBar(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		width       int
		done, total int
		want        string
	}{
		{"none_done", 30, 0, 8, "Archiving ░░░░░░░░░░░░ 0 of 8"},
		{"half_done", 30, 4, 8, "Archiving ██████░░░░░░ 4 of 8"},
		{"all_done", 30, 8, 8, "Archiving ████████████ 8 of 8"},
		{"wide", 200, 1, 40, "Archiving █" + strings.Repeat("░", 39) + " 1 of 40"},
		{"narrow", 18, 4, 8, "Archiving 4 of 8"},
		{"no_room", 6, 4, 8, "Archi"},
		{"nothing", 0, 0, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			b := NewBar(colourless(&out), "Archiving", tt.width)
			b.Progress(tt.done, tt.total)
			b.Progress(tt.done, tt.total)
			b.Clear()
			b.Clear()
			if want := "\r" + tt.want + "\x1b[K\r\x1b[K"; out.String() != want {
				t.Errorf("got %q, want %q", out.String(), want)
			}
		})
	}
}

// colourless takes colours off, and leaves what moves the cursor.
func colourless(out io.Writer) io.Writer {
	return writerFunc(func(p []byte) (int, error) {
		text := string(p)
		for _, code := range []string{"\x1b[36m", "\x1b[2m", "\x1b[m"} {
			text = strings.ReplaceAll(text, code, "")
		}
		_, err := io.WriteString(out, text)
		return len(p), err
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
