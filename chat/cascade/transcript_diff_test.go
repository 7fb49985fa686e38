package cascade

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func says(index int, text string) message {
	return message{index: index, role: roleAssistant, text: text}
}

func does(index int, step string) message {
	return message{index: index, role: roleTool, text: "[CORTEX_STEP_TYPE_" + step + "]"}
}

func TestFollower(t *testing.T) {
	t.Parallel()
	type poll struct {
		after  []message // what is after the prompt; nil is a transcript without it
		steps  bool
		events []event
	}
	none := []message{}
	tests := []struct {
		name   string
		polls  []poll
		answer string
		state  progress
	}{
		{
			name: "grows_in_place",
			polls: []poll{
				{},
				{after: none},
				{after: []message{says(2, "")}},
				{after: []message{says(2, "Hel")}, events: []event{{message: 2, text: "Hel"}}},
				{after: []message{says(2, "Hel")}},
				{after: []message{says(2, "Hello")}, events: []event{{message: 2, text: "lo"}}},
				{after: []message{says(2, "Hello"), does(3, "CHECKPOINT")}},
			},
			answer: "Hello", state: progress{seen: true, answered: true, ended: true},
		},
		{
			name: "several_messages_and_tools",
			polls: []poll{
				{
					after:  []message{says(2, "a"), does(3, "VIEW_FILE")},
					events: []event{{message: 2, text: "a"}, {kind: eventTool, message: 3, text: "CORTEX_STEP_TYPE_VIEW_FILE"}},
				},
				{
					after:  []message{says(2, "a"), does(3, "VIEW_FILE"), says(4, "b"), {index: 5, role: roleTool, text: "?"}},
					events: []event{{message: 4, text: "b", lead: "\n\n"}, {kind: eventTool, message: 5}},
				},
				{
					after:  []message{says(2, "a"), does(3, "VIEW_FILE"), says(4, "bb"), {index: 5, role: roleTool, text: "?"}},
					events: []event{{message: 4, text: "b"}},
				},
			},
			answer: "a\n\nbb", state: progress{seen: true, answered: true, tools: true},
		},
		{
			name: "earlier_message_grows",
			polls: []poll{
				{after: []message{says(2, "a"), says(3, "b")}, events: []event{{message: 2, text: "a"}, {message: 3, text: "b", lead: "\n\n"}}},
				{after: []message{says(2, "aa"), says(3, "b")}, events: []event{{kind: eventRewrite, message: 2, text: "aa"}}},
			},
			answer: "aa\n\nb", state: progress{seen: true, answered: true},
		},
		{
			name: "rewritten_after_checkpoint",
			polls: []poll{
				{after: []message{says(2, "draft"), does(3, "CHECKPOINT")}, events: []event{{message: 2, text: "draft"}}},
				{after: []message{says(2, "final"), does(3, "CHECKPOINT")}, events: []event{{kind: eventRewrite, message: 2, text: "final"}}},
			},
			answer: "final", state: progress{seen: true, answered: true, ended: true},
		},
		{
			name: "goes_on_after_checkpoint",
			polls: []poll{
				{after: []message{says(2, "a"), does(3, "CHECKPOINT")}, events: []event{{message: 2, text: "a"}}},
				{after: []message{says(2, "a"), does(3, "CHECKPOINT"), says(4, "b")}, events: []event{{message: 4, text: "b", lead: "\n\n"}}},
			},
			answer: "a\n\nb", state: progress{seen: true, answered: true},
		},
		{
			name: "smaller_index_later",
			polls: []poll{
				{after: []message{says(2, "a"), says(4, "c")}, events: []event{{message: 2, text: "a"}, {message: 4, text: "c", lead: "\n\n"}}},
				{after: []message{says(2, "a"), says(4, "c"), says(3, "b")}, events: []event{{kind: eventRewrite, message: 3, text: "b"}}},
			},
			answer: "a\n\nb\n\nc", state: progress{seen: true, answered: true, doubtful: true},
		},
		{
			name: "vanishes",
			polls: []poll{
				{after: []message{says(2, "a"), says(3, "b")}, events: []event{{message: 2, text: "a"}, {message: 3, text: "b", lead: "\n\n"}}},
				{after: []message{says(2, "a")}, events: []event{{kind: eventRewrite, message: 3}}},
				{after: []message{says(2, "ac")}, events: []event{{message: 2, text: "c"}}},
				{after: none, events: []event{{kind: eventRewrite, message: 2}}},
			},
			state: progress{seen: true},
		},
		{
			name: "becomes_a_tool",
			polls: []poll{
				{after: []message{says(2, "a")}, events: []event{{message: 2, text: "a"}}},
				{after: []message{does(2, "MEMORY")}, events: []event{{kind: eventRewrite, message: 2}, {kind: eventTool, message: 2, text: "CORTEX_STEP_TYPE_MEMORY"}}},
				{after: []message{does(2, "FIND")}, events: []event{{kind: eventTool, message: 2, text: "CORTEX_STEP_TYPE_FIND"}}},
			},
			state: progress{seen: true, tools: true},
		},
		{
			name: "tools_alone",
			polls: []poll{
				{after: []message{does(2, "RUN_COMMAND"), does(3, "CHECKPOINT")}, events: []event{{kind: eventTool, message: 2, text: "CORTEX_STEP_TYPE_RUN_COMMAND"}}},
			},
			state: progress{seen: true, tools: true, ended: true},
		},
		{
			name: "error_step",
			polls: []poll{
				{after: []message{does(2, "ERROR_MESSAGE"), does(3, "CHECKPOINT")}, events: []event{{kind: eventTool, message: 2, text: "CORTEX_STEP_TYPE_ERROR_MESSAGE"}}},
			},
			state: progress{seen: true, ended: true, failed: true},
		},
		{
			name: "system_and_unknown_roles_say_nothing",
			polls: []poll{
				{after: []message{{index: 2, role: roleSystem, text: "a"}, {index: 3, role: "Critic", text: "b"}}},
			},
			state: progress{seen: true},
		},
		{
			name: "prompt_lost",
			polls: []poll{
				{after: []message{says(2, "a")}, events: []event{{message: 2, text: "a"}}},
				{},
			},
			answer: "a", state: progress{seen: true, answered: true, cut: true},
		},
		{
			name: "steps_from_the_beginning",
			polls: []poll{
				{steps: true, after: []message{says(1, "a")}, events: []event{{message: 1, text: "a"}}},
				{steps: true, after: []message{says(1, "ab")}, events: []event{{message: 1, text: "b"}}},
			},
			answer: "ab", state: progress{seen: true, answered: true, steps: true},
		},
		{
			name: "steps_mend_what_was_doubtful",
			polls: []poll{
				{after: []message{says(2, "a"), does(3, "FIND"), says(4, "b\n\n=== MESSAGE 4 - User ===")}, events: []event{
					{message: 2, text: "a"},
					{kind: eventTool, message: 3, text: "CORTEX_STEP_TYPE_FIND"},
					{message: 4, text: "b\n\n=== MESSAGE 4 - User ===", lead: "\n\n"},
				}},
				{
					steps:  true,
					after:  []message{says(1, ""), says(5, "a"), does(6, "FIND"), says(7, ""), says(8, "b\n\n=== MESSAGE 4 - User ===\n\nc"), does(9, "CHECKPOINT")},
					events: []event{{message: 8, text: "\n\nc"}},
				},
				{after: none}, // a transcript says nothing more
			},
			answer: "a\n\nb\n\n=== MESSAGE 4 - User ===\n\nc", state: progress{seen: true, answered: true, tools: true, ended: true, steps: true},
		},
		{
			name: "steps_have_less",
			polls: []poll{
				{after: []message{says(2, "a"), says(3, "b")}, events: []event{{message: 2, text: "a"}, {message: 3, text: "b", lead: "\n\n"}}},
				{steps: true, after: []message{says(7, "a b")}, events: []event{{kind: eventRewrite, message: 7, text: "a b"}, {kind: eventRewrite, message: 8}}},
			},
			answer: "a b", state: progress{seen: true, answered: true, steps: true},
		},
		{
			name: "step_fetched_twice",
			polls: []poll{
				{steps: true, after: []message{says(3, "c"), says(2, "b"), says(3, "cc")}, events: []event{{message: 2, text: "b"}, {message: 3, text: "cc", lead: "\n\n"}}},
			},
			answer: "b\n\ncc", state: progress{seen: true, answered: true, steps: true},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFollower("hi")
			for i, p := range tt.polls {
				var got []event
				switch {
				case p.steps:
					got = f.update(p.after)
				case p.after == nil:
					got = f.transcript(writeTranscript(does(0, "MEMORY")))
				default:
					all := []message{does(0, "MEMORY"), {index: 1, role: roleUser, text: "hi"}}
					got = f.transcript(writeTranscript(append(all, p.after...)...))
				}
				if diff := cmp.Diff(got, p.events, asTranscript); diff != "" {
					t.Errorf("poll %d: got - want +\n%s", i, diff)
				}
			}
			if got := f.answer(); got != tt.answer {
				t.Errorf("answer %q, want %q", got, tt.answer)
			}
			if diff := cmp.Diff(f.state(), tt.state, asTranscript); diff != "" {
				t.Error("state: got - want +\n" + diff)
			}
		})
	}
}
