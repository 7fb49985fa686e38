package say_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
)

func TestTold(t *testing.T) {
	t.Parallel()
	type said struct {
		Sentence, Code, Log string
		Exit                int
	}
	whole := &say.Error{Code: "no_port", What: "Windsurf runs, but does not answer", Cure: "Restart it.", Exit: 3, Cause: io.ErrUnexpectedEOF}
	tests := []struct {
		name string
		err  error
		want said
	}{
		{"whole", whole, said{"Windsurf runs, but does not answer. Restart it.", "no_port", "unexpected EOF", 3}},
		{"wrapped", fmt.Errorf("look: %w", whole), said{"Windsurf runs, but does not answer. Restart it.", "no_port", "look: unexpected EOF", 3}},
		{"joined", errors.Join(io.EOF, whole), said{"Windsurf runs, but does not answer. Restart it.", "no_port", "EOF\nunexpected EOF", 3}},
		{"no_cure", &say.Error{What: "Nothing is left!"}, said{"Nothing is left!", "", "Nothing is left!", 1}},
		{"stranger", io.EOF, said{"else", "", "EOF", 1}},
		{"usage", say.Usage("there is no %q: %w", "x", io.EOF), said{`there is no "x": EOF`, "", `there is no "x": EOF`, 2}},
		{"told", say.Told(5), said{"else", "", "", 5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := said{say.Sentence(tt.err, "else"), say.Code(tt.err), tt.err.Error(), say.Exit(tt.err)}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := say.Exit(nil); got != 0 {
		t.Errorf("nil ends with %d", got)
	}
	if !errors.Is(say.Usage("%w", io.EOF), io.EOF) {
		t.Error("a usage error hides its cause")
	}
}
