package jsonpick_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/jsonpick"
)

// wanted has members of an object, of objects in a list, and a whole value.
var wanted = jsonpick.Fields{
	"steps": {"type": nil, "metadata": {"cost": nil, "used": {"in": nil}}},
	"error": nil,
}

func pick(tb testing.TB, from io.Reader) (string, error) {
	tb.Helper()
	picked, err := io.ReadAll(jsonpick.NewReader(from, wanted))
	return string(picked), err
}

func TestReader(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"empty", `{}`, `{}`},
		{"steps", `{"steps":[{"type":"A","file":{"text":"x"},"metadata":{"cost":5,"call":["y"]}},{"type":"B"}]}`, `{"steps":[{"type":"A","metadata":{"cost":5}},{"type":"B"}]}`},
		{"nothing_wanted", `{"a":1,"b":[{"type":1}],"c":{"steps":1}}`, `{}`},
		{"elements_without_members", `{"steps":[{},{"x":1},[],7,null]}`, `{"steps":[{},{},[],7,null]}`},
		{"whole", `{"error":{"steps":[1,{"a":"}"}]},"x":0}`, `{"error":{"steps":[1,{"a":"}"}]}}`},
		{"last", `{"x":0,"y":"}","error":false}`, `{"error":false}`},
		{"nested", `{"steps":[{"metadata":{"used":{"out":1,"in":"2"},"cost":-1e3}}]}`, `{"steps":[{"metadata":{"used":{"in":"2"},"cost":-1e3}}]}`},
		{"another_type", `{"steps":"all","error":[]}`, `{"steps":"all","error":[]}`},
		{"lists_of_lists", `{"steps":[[{"type":1,"x":2}],[[]]]}`, `{"steps":[[{"type":1}],[[]]]}`},
		{"twice", `{"error":1,"error":2}`, `{"error":1,"error":2}`},
		{"space", " {\n\t\"steps\" : [ { \"x\" : [ ] , \"type\" : 1 } , 2 ] , \"error\" : true }\r\n", `{"steps":[{"type":1},2],"error":true}`},
		{"quotes", `{"x":"\"}]\\","error":"\\\"","y":"\\\\\"","steps":[{"type":"\\"}]}`, `{"error":"\\\"","steps":[{"type":"\\"}]}`},
		{"escaped_name", `{"\u0065rror":1,"error":2}`, `{"error":2}`},
		{"long_name", `{"` + strings.Repeat("n", 500) + `":1,"error":2}`, `{"error":2}`},
		{"list", `[{"error":1,"x":2},{}]`, `[{"error":1},{}]`},
		{"deepest", strings.Repeat(`[`, 9_999) + `{"x":"y"}` + strings.Repeat(`]`, 9_999), strings.Repeat(`[`, 9_999) + `{}` + strings.Repeat(`]`, 9_999)},
		{"text", `"steps"`, `"steps"`},
		{"number", `12`, `12`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for name, from := range map[string]io.Reader{
				"at once": strings.NewReader(tt.text), "bytewise": iotest.OneByteReader(strings.NewReader(tt.text)),
			} {
				if got, err := pick(t, from); err != nil || got != tt.want {
					t.Errorf("%s: got %s, %v, want %s", name, got, err, tt.want)
				}
			}
		})
	}
}

func TestReaderRefuses(t *testing.T) {
	t.Parallel()
	const secret = "planted"
	tests := []struct{ name, text string }{
		{"nothing", ``},
		{"space", ` `},
		{"cut_in_a_text", `{"x":"` + secret},
		{"cut_in_a_name", `{"` + secret},
		{"cut_in_the_middle", `{"steps":[{"type":1}`},
		{"cut_in_what_is_left_out", `{"x":[1,2`},
		{"cut_in_a_number", `{"error":1`},
		{"cut_behind_a_backslash", `{"error":"\`},
		{"other_bracket", `{"x":[1}}`},
		{"other_bracket_outside", `{"steps":[1}`},
		{"two_values", `{} {}`},
		{"comma_at_the_end", `{"error":1,}`},
		{"comma_at_the_end_of_a_list", `{"steps":[1,]}`},
		{"comma_at_the_beginning", `{,"error":1}`},
		{"no_colon", `{"error" 1}`},
		{"no_value", `{"error":}`},
		{"no_comma", `{"error":1 "x":2}`},
		{"text_behind_a_word", `{"x":1"` + secret + `"}`},
		{"no_name", `{1:2}`},
		{"closed", `]`},
		{"page", `<!DOCTYPE html>`},
		{"deep", strings.Repeat(`{"error":`, 10_001) + `1` + strings.Repeat(`}`, 10_001)},
		{"deep_lists", strings.Repeat(`[`, 6_000_000) + strings.Repeat(`]`, 6_000_000)},
		{"deep_inside", `{"steps":` + strings.Repeat(`[`, 9_990) + `{"x":` + strings.Repeat(`[`, 100) + strings.Repeat(`]`, 100) + `}` + strings.Repeat(`]`, 9_990) + `}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := pick(t, strings.NewReader(tt.text))
			if !errors.Is(err, jsonpick.ErrBroken) || strings.Contains(err.Error(), secret) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// The error of what is read is not taken for the text's own.
func TestReaderPassesErrorsOn(t *testing.T) {
	t.Parallel()
	from := io.MultiReader(strings.NewReader(`{"steps":[`), iotest.ErrReader(io.ErrUnexpectedEOF))
	if _, err := pick(t, from); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
}

// picked is what fields leave of a decoded value.
func picked(v any, fields jsonpick.Fields) any {
	switch v := v.(type) {
	case map[string]any:
		if fields == nil {
			return v
		}
		left := map[string]any{}
		for name, member := range v {
			if sub, ok := fields[name]; ok {
				left[name] = picked(member, sub)
			}
		}
		return left
	case []any:
		for i, element := range v {
			v[i] = picked(element, fields)
		}
	}
	return v
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(`{"steps":[{"type":"A","x":"\\\"","metadata":{"cost":5,"used":{"in":[1,{"a":null}]}}}],"error":{}}`), 3)
	f.Add([]byte(`{"steps":[[{"type":1}],2,"x"],"y":[{"z":"]"}],"error":tru}`), 1)
	f.Add([]byte(" [ { } , -1.5e3 ] "), 7)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		got, err := pick(t, bytes.NewReader(text))
		again, errAgain := pick(t, &pieces{text, 1 + size&15})
		if (err == nil) != (errAgain == nil) || err == nil && got != again {
			t.Fatalf("whole: %q, %v; in pieces: %q, %v", got, err, again, errAgain)
		}
		if bytes.ContainsAny(text, `\`) || !json.Valid(text) {
			return // names may be written in several ways; what is invalid may be left out
		}
		var all, left any
		if json.Unmarshal(text, &all) != nil {
			return // a number out of range
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if err := json.Unmarshal([]byte(got), &left); err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		if diff := cmp.Diff(picked(all, wanted), left); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// pieces are a text, some bytes at a time.
type pieces struct {
	text []byte
	size int
}

func (p *pieces) Read(to []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(to, p.text[:min(p.size, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

// BenchmarkReader picks the figures of steps in which tools have read source code.
func BenchmarkReader(b *testing.B) {
	code, err := json.Marshal(strings.Repeat("\tif err != nil {\n\t\treturn fmt.Errorf(\"open %q: %w\", name, err)\n\t}\n", 400))
	if err != nil {
		b.Fatal(err)
	}
	step := `{"type":"CORTEX_STEP_TYPE_VIEW_FILE","metadata":{"cost":5,"call":{"arguments":{"lines":[1,2,3,4,5]}}},"viewFile":{"content":` + string(code) + `}}`
	text := `{"steps":[` + strings.Repeat(step+",", 700) + step + `]}`
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if n, err := io.Copy(io.Discard, jsonpick.NewReader(strings.NewReader(text), wanted)); err != nil || n < 700 {
			b.Fatal(n, err)
		}
	}
}
