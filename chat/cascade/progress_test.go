package cascade

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	grows := func(text string) chat.Event { return chat.Event{Kind: chat.Grows, Text: text} }
	changes := func(text string) chat.Event { return chat.Event{Kind: chat.Changes, Text: text} }
	works := func(kind string) chat.Event { return chat.Event{Kind: chat.Works, Text: stepWords(kind)} }
	type poll struct {
		steps []trajectoryStep
		want  []chat.Event
	}
	tests := []struct {
		name  string
		polls []poll
	}{
		{"grows_in_place", []poll{
			{nil, nil},
			{says(""), nil},
			{says("Hel"), []chat.Event{grows("Hel")}},
			{says("Hel"), nil},
			{says("Hello"), []chat.Event{grows("lo")}},
			{all(says("Hello"), does("CHECKPOINT")), nil},
			{all(says("Hello"), does("CHECKPOINT"), says("you")), []chat.Event{grows("\n\nyou")}},
		}},
		{"tools_are_told_once", []poll{
			{all(says("a"), does("VIEW_FILE")), []chat.Event{grows("a"), works("VIEW_FILE")}},
			{all(says("a"), does("VIEW_FILE"), says("b"), does("FIND", "FIND")), []chat.Event{grows("\n\nb"), works("FIND"), works("FIND")}},
			{all(says("a"), does("VIEW_FILE"), says("bb"), does("FIND", "FIND")), []chat.Event{grows("b")}},
		}},
		{"earlier_text_grows", []poll{
			{says("a", "b"), []chat.Event{grows("a\n\nb")}},
			{says("aa", "b"), []chat.Event{changes("aa\n\nb")}},
		}},
		{"written_anew", []poll{
			{all(says("draft"), does("CHECKPOINT")), []chat.Event{grows("draft")}},
			{all(says("final"), does("CHECKPOINT")), []chat.Event{changes("final")}},
		}},
		{"vanishes", []poll{
			{says("a", "b"), []chat.Event{grows("a\n\nb")}},
			{says("a"), []chat.Event{changes("a")}},
			{says("ac"), []chat.Event{grows("c")}},
			{nil, []chat.Event{changes("")}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p progress
			for i, poll := range tt.polls {
				if diff := cmp.Diff(poll.want, p.update(poll.steps)); diff != "" {
					t.Errorf("poll %d (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}

// The words for a step are harmless to a terminal.
func TestStepWords(t *testing.T) {
	t.Parallel()
	for step, want := range map[string]string{
		"CORTEX_STEP_TYPE_VIEW_FILE": "view file…", "CORTEX_STEP_TYPE_VIEW_\u202eFILE": "view file…", "": "working…",
	} {
		if got := stepWords(step); got != want {
			t.Errorf("%q: %q, want %q", step, got, want)
		}
	}
}
