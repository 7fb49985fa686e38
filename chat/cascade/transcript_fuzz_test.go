package cascade

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func FuzzParseTranscript(f *testing.F) {
	f.Add("=== MESSAGE 1 - User ===\nhi\n\n=== MESSAGE 2 - Assistant ===\n```\n\n=== MESSAGE 3 - Tool ===\n[X]\n\n=== MESSAGE", "hi")
	f.Add("=== MESSAGE 1 - User ===\r\nh\r\ni\r\n\r\n=== MESSAGE 18 - X ===\r\n\r\n=== MESSAGE 2 - Tool ===\r\n=", "h\ni")
	f.Add("\n=== MESSAGE 0 - User ===\n\n\n=== MESSAGE 3 - System ===\n\xc3", "")
	f.Fuzz(func(t *testing.T, text, prompt string) {
		r := parseTranscript(nil, text, prompt)
		if !r.seen && (len(r.messages) > 0 || r.doubtful) {
			t.Fatalf("%+v without a prompt", r)
		}
		had := map[int]bool{}
		from := 0
		for _, m := range r.messages {
			if had[m.index] || m.index < 0 || m.role == roleUser || m.role == "" {
				t.Fatalf("message %+v", m)
			}
			had[m.index] = true
			if strings.TrimRight(m.text, "\r\n") != m.text || utf8.ValidString(text) && !utf8.ValidString(m.text) {
				t.Fatalf("text %q", m.text)
			}
			i := strings.Index(text[from:], m.text)
			if i < 0 {
				t.Fatalf("%q is not in what is left of the transcript", m.text)
			}
			from += i + len(m.text)
		}
		// The prompt is found wherever it stands first, and hides what is in it.
		if prompt = strings.Trim(prompt, whiteSpace); prompt == "" {
			return
		}
		whole := writeTranscript(does(0, "MEMORY"), message{index: 1, role: roleUser, text: prompt}, says(2, "pong"), does(3, "CHECKPOINT"))
		want := reading{seen: true, messages: []message{says(2, "pong"), does(3, "CHECKPOINT")}, cut: len(whole) >= capNear}
		for _, whole := range []string{whole, strings.ReplaceAll(whole, "\n", "\r\n")} {
			want.cut = len(whole) >= capNear
			if diff := cmp.Diff(parseTranscript(r.messages, whole, prompt), want, asTranscript); diff != "" {
				t.Fatal("got - want +\n" + diff)
			}
		}
	})
}

// FuzzFollower makes a reader apply the events of random edits.
func FuzzFollower(f *testing.F) {
	f.Add([]byte("\x00\x02\x08\x10\x21\x33\x04\x45\x16\x27\x70\x08"))
	f.Add([]byte("a2 3b 4c 0 1 9 zz \xff\x80\x13\x22\x31\x40"))
	f.Fuzz(func(t *testing.T, edits []byte) {
		if len(edits) > 1000 {
			return
		}
		var d differ
		var messages []message
		reader := map[int]string{}
		appended, rewritten := "", false
		tools := 0
		for n, edit := range edits {
			messages = editMessages(messages, edit, n)
			events := d.update(slices.Clone(messages))
			if !slices.IsSortedFunc(events, func(a, b event) int { return a.message - b.message }) {
				t.Fatalf("events out of order: %+v", events)
			}
			for _, e := range events {
				switch e.kind {
				case eventAppend:
					if e.text == "" {
						t.Fatalf("nothing is appended: %+v", e)
					}
					reader[e.message] += e.text
					appended += e.lead + e.text
				case eventRewrite:
					reader[e.message], rewritten = e.text, true
				case eventTool:
					tools++
				}
				if got := joinTexts(reader); !rewritten && got != appended {
					t.Fatalf("%q was appended, the answer is %q", appended, got)
				}
			}
			want := map[int]string{}
			for _, m := range messages {
				delete(want, m.index) // the later counts
				if m.role == roleAssistant {
					want[m.index] = m.text
				}
			}
			if got, want := joinTexts(reader), joinTexts(want); got != want || d.answer() != want {
				t.Fatalf("events make %q, differ has %q, want %q", got, d.answer(), want)
			}
			maps.DeleteFunc(reader, func(_ int, text string) bool { return text == "" })
			maps.DeleteFunc(want, func(_ int, text string) bool { return text == "" })
			if diff := cmp.Diff(reader, want); diff != "" {
				t.Fatal("by message: got - want +\n" + diff)
			}
			if events := d.update(slices.Clone(messages)); events != nil {
				t.Fatalf("unchanged, but %+v", events)
			}
			appended, rewritten = d.answer(), false
		}
		if tools > len(edits) {
			t.Fatalf("%d tools by %d edits", tools, len(edits))
		}
	})
}

// editMessages changes one thing: its low bits say what, its high bits where.
func editMessages(messages []message, edit byte, n int) []message {
	at := 0
	if len(messages) > 0 {
		at = int(edit>>3) % len(messages)
	}
	index := int(edit >> 3)
	switch text := strings.Repeat("é", n%3+1); edit & 7 {
	case 0, 1:
		return append(messages, says(index, text))
	case 2:
		return append(messages, does(index, []string{"FIND", "CHECKPOINT"}[n%2]))
	case 3:
		if len(messages) > 0 {
			return slices.Delete(messages, at, at+1)
		}
	case 4, 5:
		if len(messages) > 0 {
			messages[at].text += text
		}
	case 6:
		if len(messages) > 0 {
			messages[at].text = text
		}
	case 7:
		if len(messages) > 0 {
			messages[at].role = []role{roleTool, roleAssistant, roleSystem}[n%3]
		}
	}
	return messages
}

func joinTexts(texts map[int]string) string {
	var all []string
	for _, index := range slices.Sorted(maps.Keys(texts)) {
		if texts[index] != "" {
			all = append(all, texts[index])
		}
	}
	return strings.Join(all, "\n\n")
}
