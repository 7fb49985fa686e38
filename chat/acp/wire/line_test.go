package wire

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestLines has the table of lines. What a client does with a message that nobody
// awaits is not decided here.
func TestLines(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/lines.json")
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Lines []struct{ Line, Verdict string }
	}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	if len(table.Lines) != 13 {
		t.Fatalf("%d lines", len(table.Lines))
	}
	meanings := map[string]struct {
		is   verdict
		kind Kind
	}{
		"message": {good, Response}, "message after escape sequences are taken off": {good, Response},
		"message: an id may come back as a string": {good, Response}, "skip: nobody asked": {good, Response},
		"skip: unknown notification": {good, Notification}, "answer -32601": {good, Request},
		"request: id 0 is a valid id and the answer repeats it": {good, Request},
		"skip": {is: empty}, "skip: a null id cannot be answered": {is: empty},
		"noise": {is: noise}, "noise: ACP has no batches": {is: noise}, "broken: the turn fails": {is: broken},
	}
	for _, tt := range table.Lines {
		t.Run(tt.Verdict, func(t *testing.T) {
			t.Parallel()
			want, known := meanings[tt.Verdict]
			if !known {
				t.Fatal("no such verdict")
			}
			m, is := parse([]byte(tt.Line))
			if is != want.is || is == good && m.Kind != want.kind {
				t.Errorf("%s is %d, kind %d", tt.Line, is, m.Kind)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		id     string
		answer bool
	}{
		{"1", true},
		{`"1"`, true},
		{"1.0", true},
		{"10", false},
		{`"01"`, false},
		{`"x"`, false},
		{"1.5", false},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			t.Parallel()
			m, _ := parse([]byte(`{"jsonrpc":"2.0","id":` + tt.id + `,"result":{}}`))
			if got := m.Answers(1); got != tt.answer {
				t.Errorf("answers %v", got)
			}
		})
	}
	if m, _ := parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"x"}`)); m.Answers(1) {
		t.Error("a request answers one")
	}
}

// TestErrorText: no text of the other side is in an error.
func TestErrorText(t *testing.T) {
	t.Parallel()
	m, _ := parse([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"secret","data":{"a":"secret"}}}`))
	if m.Err == nil || m.Err.Code != AuthRequired || strings.Contains(m.Err.Error(), "secret") {
		t.Errorf("%+v", m.Err)
	}
}

// FuzzParse: what counts as a message can be used and answered, and noise around a
// message changes nothing of it.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"a":[1]}}`, `{"jsonrpc":"2.0","method":"session/update","params":{"update":{}}}`,
		`{"jsonrpc":"2.0","id":"q","method":"x","params":[]}`, `{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}`, "\x1b]0;t\a{}", "{", "[]", "", "\x1b[",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m, is := parse(line)
		if is != good {
			return
		}
		if (m.Kind == Response) != (m.Method == "") {
			t.Errorf("kind %d with method %q", m.Kind, m.Method)
		}
		if m.Kind == Request && !json.Valid([]byte(m.id.Raw)) {
			t.Errorf("cannot be answered: %q", m.id.Raw)
		}
		noisy, still := parse([]byte("\x1b]0;title\x07\x1b[31m" + string(line) + "\x1b[0m\r\n"))
		if still != good || noisy.Kind != m.Kind || bytes.IndexByte(line, 0x1b) < 0 && noisy.Method != m.Method {
			t.Errorf("with noise: %d, %+v", still, noisy)
		}
	})
}
