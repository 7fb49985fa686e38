package agent

import (
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// course is a kind of turn. A prompt selects one by the word "turn:NAME" in it.
type course struct {
	name string
	play func(t *turn) ends
}

const plain = "**This answer is simulated.** It comes from a program in place of an editor's agent. No model was asked, and your " +
	"prompt stayed on this computer. What can be said of it without one:\n\n- it has **%d characters**,\n" +
	"- it was meant for the model `%s`,\n- the agent was in the mode `%s`, and found %d files.\n\n" +
	"A word such as `turn:acts` or `turn:quota` in a prompt makes the agent do something else."

// turns are all courses; the first is that of the zero Behaviour.
var turns = []course{
	// Says what it is.
	{"plain", func(t *turn) ends {
		t.think("A demonstration.")
		files, _ := os.ReadDir(".") // none where it cannot be read
		t.say(fmt.Sprintf(plain, utf8.RuneCountInString(t.text), t.session.model, t.session.mode, len(files)))
		return endTurn
	}},
	// The prompt, unchanged.
	{"echo", func(t *turn) ends { t.say(t.text); return endTurn }},
	// A thought, and no text.
	{"empty", func(t *turn) ends { t.think("Nothing to say."); return endTurn }},
	// Two messages.
	{"messages", func(t *turn) ends {
		t.sayIn("m1", "The first message.")
		t.sayIn("m2", "The second one.")
		return endTurn
	}},
	// A word, a second, a word.
	{"slow", func(t *turn) ends {
		for range 6 {
			t.say("slowly, ")
			t.wait(time.Second)
		}
		t.say("simulated.")
		return endTurn
	}},
	// Reads a file, which needs nobody's permission.
	{"reads", func(t *turn) ends {
		t.say("I look at the files first. ")
		id := t.call("read", "in_progress")
		t.tick()
		t.called(id, "completed")
		t.say("There are none. (All of this is simulated.)")
		return endTurn
	}},
	// Wants to run a command, unless its settings deny that, and obeys a refusal.
	{"asks", func(t *turn) ends {
		if t.denied() {
			t.say("My settings let me run no command.")
			return endTurn
		}
		id := t.call("execute", "pending")
		if t.permission(id) {
			t.called(id, "in_progress")
			t.act()
			t.called(id, "completed")
			t.say("I have run it.")
			return endTurn
		}
		t.called(id, "failed")
		t.say("Then I do not run it.")
		return endTurn
	}},
	// Asks, whatever its settings say.
	{"asks_always", func(t *turn) ends {
		id := t.call("execute", "pending")
		if t.permission(id) {
			t.act()
		}
		t.called(id, "failed")
		t.say("Then I do not run it.")
		return endTurn
	}},
	// Asks, is refused, and goes on.
	{"goes_on", func(t *turn) ends {
		id := t.call("edit", "pending")
		t.permission(id)
		t.act()
		t.called(id, "completed")
		t.say("I have done it all the same.")
		return endTurn
	}},
	// Acts without a word, against its settings.
	{"acts", func(t *turn) ends {
		id := t.call("execute", "in_progress")
		t.act()
		t.tick()
		t.called(id, "completed")
		t.say("I have run it.")
		return endTurn
	}},
	// Tells of a call that acts, and says no more of it.
	{"acts_later", func(t *turn) ends {
		t.call("edit", "pending")
		t.wait(lingerTime)
		return endTurn
	}},
	// Asks for all that a client may offer, though none of it was offered.
	{"requests", requests},
	{"quota", func(*turn) ends {
		return ends{failure: &rpcError{Code: exhausted, Message: "Quota exhausted.", Data: fields{
			"cognition.ai/errorKind": "resource_exhausted", "cognition.ai/retryable": true,
		}}}
	}},
	{"rate_limit", func(*turn) ends {
		return ends{failure: &rpcError{Code: exhausted, Message: "Too many requests.", Data: fields{
			"cognition.ai/errorKind": "resource_exhausted", "cognition.ai/retryable": true, "cognition.ai/retryAfterSeconds": 90,
		}}}
	}},
	{"refusal", func(*turn) ends { return ends{reason: "refusal"} }},
	{"cut", func(t *turn) ends { t.say("This is half of an"); return ends{reason: "max_tokens"} }},
	// Says something, and then nothing more.
	{"hangs", func(t *turn) ends {
		t.say("This is half of an")
		t.wait(lingerTime)
		return endTurn
	}},
	// The same, and does not hear a cancel.
	{"hangs_on", func(t *turn) ends {
		t.say("This is half of an")
		time.Sleep(lingerTime)
		return ends{silent: true}
	}},
	{"crashes", func(t *turn) ends {
		t.say("This is half of an")
		os.Exit(3)
		return endTurn
	}},
	// Half a message, and the end.
	{"half_line", func(t *turn) ends {
		t.say("This is half of an")
		t.raw(`{"jsonrpc":"2.0","method":"session/up`)
		os.Exit(0)
		return endTurn
	}},
	// 20,000 updates at once.
	{"flood", func(t *turn) ends {
		for range 20_000 {
			t.tell(fields{"sessionUpdate": "agent_message_chunk", "content": fields{"type": "text", "text": "x"}})
		}
		return endTurn
	}},
	// An update of 9 MiB.
	{"long_line", func(t *turn) ends {
		t.tell(fields{"sessionUpdate": "agent_message_chunk", "content": fields{"type": "text", "text": strings.Repeat("x", 9<<20)}})
		return endTurn
	}},
	// Lines that are no messages, without end.
	{"noise", func(t *turn) ends {
		for t.ctx.Err() == nil {
			t.raw("still working\n")
			if !t.wait(time.Millisecond) {
				break
			}
		}
		return endTurn
	}},
}

// requests is a course. Each request has to be refused, so that the turn can go on.
func requests(t *turn) ends {
	file := fields{"sessionId": t.session.id, "path": "/etc/hostname", "content": ""}
	for method, params := range map[string]fields{
		"fs/read_text_file": file, "fs/write_text_file": file,
		"terminal/create":     {"sessionId": t.session.id, "command": "true"},
		"elicitation/create":  {"sessionId": t.session.id, "mode": "form", "message": "Which?"},
		"cursor/ask_question": {"question": "Which?"}, "_cognition.ai/unknown": {},
	} {
		answer, err := t.request(t.ctx, method, params)
		if err != nil {
			return endTurn
		}
		if answer.Error == nil || answer.Error.Code != methodNotFound {
			t.wrong(method + " is not refused")
			continue
		}
		_ = t.note(entry{Refusal: method})
	}
	t.say("Nothing of that was offered.")
	return endTurn
}

// turnNamed returns nil for an unknown name.
func turnNamed(name string) *course {
	for i := range turns {
		if turns[i].name == name {
			return &turns[i]
		}
	}
	return nil
}

func turnNames() string {
	names := make([]string, 0, len(turns))
	for _, c := range turns {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}
