package terminal

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestColumns(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"Day", "Used"}, {"Monday", "1"}, {"Tuesday", ""}, {"👍👍", "1,234"}}
	const want = "Day       Used\nMonday       1\nTuesday\n👍👍     1,234\n"
	for width, fits := range map[int]bool{13: false, 14: true} {
		got, ok := Columns(rows, width)
		if diff := cmp.Diff(want, got); diff != "" || ok != fits {
			t.Errorf("in %d columns: fits %t (-want +got):\n%s", width, ok, diff)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		width      int
		want       string
	}{
		{"fits", "one two", 7, "one two"},
		{"at_a_blank", "one two ", 6, "one\ntwo"},
		{"within_a_word", "seventeen", 5, "seven\nteen"},
		{"behind_a_hyphen", "well-kepttext", 6, "well-\nkeptte\nxt"},
		{"before_a_hyphen", "one two --all", 7, "one two\n--all"},
		{"kept_together", "12" + NoBreak + "% of it", 5, "12 %\nof it"},
		{"wide_letters", "👍👍👍", 4, "👍👍\n👍"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Wrap(tt.text, tt.width); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
