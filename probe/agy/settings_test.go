package agy

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	testCommand = "/usr/bin/windsock antigravity status-line"
	compactLine = `{"type":"command","command":"/usr/bin/windsock antigravity status-line","enabled":true,"stack_with_default":true}`
	wideLine    = `{
    "type": "command",
    "command": "/usr/bin/windsock antigravity status-line",
    "enabled": true,
    "stack_with_default": true
  }`
)

func TestWithLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       string // with the line
		err        error
		back       string // without it again; "" stands for text
	}{
		{name: "empty", text: "", want: "{\n  \"statusLine\": " + wideLine + "\n}\n", back: "{}\n"},
		{name: "blank", text: " \n", want: "{\n  \"statusLine\": " + wideLine + "\n}\n", back: "{}\n"},
		{name: "empty_object", text: "{ }", want: "{\n  \"statusLine\": " + wideLine + "\n}", back: "{}"},
		{name: "compact", text: `{"model":"x","b":[1,{"c":"}"}]}`, want: `{"model":"x","b":[1,{"c":"}"}],"statusLine": ` + compactLine + `}`},
		{name: "one_line", text: `{ "b": 1, "a": 2 }` + "\n", want: `{ "b": 1, "a": 2, "statusLine": ` + compactLine + " }\n"},
		{name: "indented", text: "{\n  \"b\": 1,\n  \"a\" : 1.50e3\n}\n", want: "{\n  \"b\": 1,\n  \"a\" : 1.50e3,\n  \"statusLine\": " + wideLine + "\n}\n"},
		{name: "tabs", text: "{\n\t\"a\": 1\n}", want: "{\n\t\"a\": 1,\n\t\"statusLine\": " + strings.ReplaceAll(wideLine, "  ", "\t") + "\n}"},
		{name: "windows", text: "{\r\n  \"a\": 1\r\n}\r\n", want: "{\r\n  \"a\": 1,\r\n  \"statusLine\": " + strings.ReplaceAll(wideLine, "\n", "\r\n") + "\r\n}\r\n"},
		{name: "key_below", text: `{"a":{"statusLine":1}}`, want: `{"a":{"statusLine":1},"statusLine": ` + compactLine + `}`},
		{name: "switched", text: `{"statusLine":{"enabled":false},"a":1}`, want: `{"statusLine":` + compactLine + `,"a":1}`, back: `{"a":1}`},
		{name: "null", text: `{"a":1,"statusLine":null}`, want: `{"a":1,"statusLine":` + compactLine + `}`, back: `{"a":1}`},
		{name: "moved", text: `{"statusLine":{"type":"command","command":"'/opt/it'\\''s/windsock' antigravity status-line","enabled":true}}`, want: `{"statusLine":` + compactLine + `}`, back: `{}`},
		{name: "moved_windows", text: `{"statusLine":{"command":"\"C:\\a b\\windsock.exe\" antigravity status-line"}}`, want: `{"statusLine":` + compactLine + `}`, back: `{}`},
		{name: "ours_off", text: `{"statusLine":{"type":"command","command":"` + testCommand + `","enabled":false}}`, want: `{"statusLine":` + compactLine + `}`, back: `{}`},
		{name: "ours", text: `{"statusLine":{"type":"command","command":"` + testCommand + `","enabled":true}}`, err: errHaveLine},
		{name: "others", text: `{"statusLine":{"type":"command","command":"my-line"}}`, err: errOther},
		{name: "others_in_lower_case", text: `{"statusline":{"type":"command","command":"my-line"}}`, err: errOther},
		{name: "others_script", text: `{"statusLine":{"command":"tee x | windsock antigravity status-line # mine"}}`, err: errOther},
		{name: "unknown_form", text: `{"statusLine":"my-line"}`, err: errOther},
		{name: "unknown_key", text: `{"statusLine":{"enabled":false,"script":"my-line"}}`, err: errOther},
		{name: "comment", text: "{\n  // mine\n  \"a\": 1\n}", err: errNoJSON},
		{name: "comma", text: `{"a":1,}`, err: errNoJSON},
		{name: "cut_off", text: `{"a":1`, err: errNoJSON},
		{name: "two", text: `{"a":1}{}`, err: errNoJSON},
		{name: "list", text: `[]`, err: errNoJSON},
		{name: "byte_order_mark", text: "\ufeff{}", err: errNoJSON},
		{name: "double_key", text: `{"a":1,"a":2}`, err: errDoubled},
		{name: "double_key_escaped", text: `{"a":1,"\u0061":2}`, err: errDoubled},
		{name: "double_line", text: `{"statusLine":null,"StatusLine":null}`, err: errDoubled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := withLine([]byte(tt.text), testCommand)
			if diff := cmp.Diff(tt.want, string(got)); diff != "" || !errors.Is(err, tt.err) {
				t.Fatalf("%s, %v, want %v", diff, err, tt.err)
			}
			if err != nil {
				return
			}
			if again, err := withLine(got, testCommand); !errors.Is(err, errHaveLine) {
				t.Errorf("again: %s, %v", again, err)
			}
			want := tt.back
			if want == "" {
				want = tt.text
			}
			back, err := withoutLine(got, testCommand)
			if diff := cmp.Diff(want, string(back)); diff != "" || err != nil {
				t.Errorf("back: %s, %v", diff, err)
			}
		})
	}
}

func TestWithoutLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, want string
		err              error
	}{
		{"none", `{"a":1}`, "", errNoLine},
		{"switched", `{"statusLine":{"enabled":false}}`, "", errNoLine},
		{"others", `{"statusLine":{"command":"my-line"}}`, "", errOther},
		{"broken", `{`, "", errNoJSON},
		{"first", "{\n  \"statusLine\": " + wideLine + ",\n  \"a\": 1\n}", "{\n  \"a\": 1\n}", nil},
		{"amid", "{\n  \"a\": 1,\n  \"statusLine\": " + wideLine + ",\n  \"b\": 2\n}", "{\n  \"a\": 1,\n  \"b\": 2\n}", nil},
		{"of_a_Windsock_elsewhere", `{"a":1,"statusLine":{"command":"/opt/windsock antigravity status-line"}}`, `{"a":1}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := withoutLine([]byte(tt.text), testCommand)
			if string(got) != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("got %s, %v; want %s, %v", got, err, tt.want, tt.err)
			}
		})
	}
}

// FuzzWithLine: the result is JSON, has the line, and each other key with the bytes of
// its value, in its order.
func FuzzWithLine(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "{ }", `{"a":1}`, "{\n  \"a\": {\"b\": [1, 2]},\n  \"é\\u0041\": \"}\"\n}\n", `{"statusLine":null,"a":1}`, `{"a":"\\\"","statusline":{}}`, "{\"a\":1 \t,\r\n\"b\" : 2 }",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := withLine([]byte(text), testCommand)
		if err != nil {
			return
		}
		before, after := valuesOf(t, text), valuesOf(t, string(got))
		var line statusLine
		found := ""
		for key, value := range after {
			if strings.EqualFold(key, statusLineKey) && json.Unmarshal([]byte(value), &line) == nil {
				found = key
			}
		}
		if diff := cmp.Diff(statusLine{"command", testCommand, true, true}, line); diff != "" {
			t.Fatalf("%q becomes %q: %s", text, got, diff)
		}
		back, err := withoutLine(got, testCommand)
		if err != nil {
			t.Fatalf("%q becomes %q, which has no line: %v", text, got, err)
		}
		for _, all := range []map[string]string{before, after} {
			delete(all, found)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%q becomes %q: %s", text, got, diff)
		}
		if diff := cmp.Diff(before, valuesOf(t, string(back))); diff != "" {
			t.Errorf("%q becomes %q: %s", text, back, diff)
		}
		if _, there := valuesOf(t, text)[found]; !there && len(before) > 0 && string(back) != text {
			t.Errorf("%q and back is %q", text, back)
		}
	})
}

// valuesOf are the values of an object as they are written.
func valuesOf(t *testing.T, text string) map[string]string {
	t.Helper()
	all := map[string]json.RawMessage{}
	if strings.TrimSpace(text) != "" {
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
	values := map[string]string{}
	for key, value := range all {
		values[key] = string(value)
	}
	return values
}

func TestCommandOf(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, program, goos, want string }{
		{"plain", "/usr/bin/windsock", "linux", "/usr/bin/windsock antigravity status-line"},
		{"blanks", "/home/a b/windsock", "linux", "'/home/a b/windsock' antigravity status-line"},
		{"quote", "/home/it's/windsock", "darwin", `'/home/it'\''s/windsock' antigravity status-line`},
		{"dollar", "/home/$x/windsock", "linux", "'/home/$x/windsock' antigravity status-line"},
		{"windows", `C:\Users\a\windsock.exe`, "windows", "C:/Users/a/windsock.exe antigravity status-line"},
		{"windows_blanks", `C:\Program Files\windsock.exe`, "windows", `"C:/Program Files/windsock.exe" antigravity status-line`},
		{"windows_dollar", `C:\a $b\windsock.exe`, "windows", ""},
		{"unknown", "", "linux", ""},
		{"relative", "bin/windsock", "linux", ""},
		{"go_run", "/tmp/go-build12/b001/exe/windsock", "linux", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := commandOf(tt.program, tt.goos)
			if got != tt.want || (err != nil) != (tt.want == "") {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}
