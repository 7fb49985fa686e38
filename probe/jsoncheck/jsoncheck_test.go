package jsoncheck_test

import (
	"encoding/json"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"windsock/probe/jsoncheck"
)

// TestMain leaves recursion far less room than a real process has: a text that gets
// through ends the tests before it takes a gigabyte.
func TestMain(m *testing.M) {
	debug.SetMaxStack(16 << 20)
	os.Exit(m.Run())
}

// nested is inner between that many opening and closing texts.
func nested(opening, inner, closing string, times int) string {
	return strings.Repeat(opening, times) + inner + strings.Repeat(closing, times)
}

func TestValid(t *testing.T) {
	t.Parallel()
	const most = jsoncheck.MaxDepth
	longest := `"` + strings.Repeat("a", jsoncheck.MaxSize-2) + `"`
	tests := []struct {
		name, text     string
		bounded, valid bool
	}{
		{"object", `{"a":[1,"x",null]}`, true, true},
		{"cut_off", `{"a":[1,`, true, false},
		{"two_values", `{}{}`, true, false},
		{"empty", "", true, false},
		{"deepest", nested("[", "", "]", most), true, true},
		{"deeper", nested("[", "", "]", most+1), false, false},
		{"deepest_objects", nested(`{"a":`, "1", "}", most), true, true},
		{"deeper_objects", nested(`{"a":`, "1", "}", most+1), false, false},
		{"deeper_mixed", nested(`[{"a":`, "1", "}]", most/2+1), false, false},
		{"wide", "[" + strings.TrimSuffix(strings.Repeat("[],", 2*most), ",") + "]", true, true},
		{"brackets_in_a_string", `["` + strings.Repeat("[{", most) + `"]`, true, true},
		{"behind_an_escaped_quote", `["\"` + strings.Repeat("[", 2*most) + `"]`, true, true},
		{"behind_an_escaped_backslash", `["\\",` + nested("[", "", "]", most) + `]`, false, false},
		{"never_closed", strings.Repeat("[", 12<<20), false, false},
		{"never_opened", strings.Repeat("]", 3*most) + strings.Repeat("[", 3*most), false, false},
		{"longest", longest, true, true},
		{"longer", longest + " ", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := jsoncheck.Bounded([]byte(tt.text)); got != tt.bounded {
				t.Errorf("Bounded = %v", got)
			}
			if got := jsoncheck.Valid([]byte(tt.text)); got != tt.valid {
				t.Errorf("Valid = %v", got)
			}
		})
	}
}

// FuzzValid: for any shape and depth of nesting, the result is that of encoding/json,
// which stops at the same depth.
func FuzzValid(f *testing.F) {
	f.Add("[", "1", "]", uint32(3), "")
	f.Add(`{"a":`, "null", "}", uint32(jsoncheck.MaxDepth), " ")
	f.Add("[", "", "]", uint32(jsoncheck.MaxDepth+1), "")
	f.Add(`[{"\"[":`, `"\\"`, "}]", uint32(jsoncheck.MaxDepth/2), "")
	f.Add("[", "", "", uint32(5_000_000), "")
	f.Add("", `{"userStatus":{"name":"[[["}}`, "", uint32(0), "")
	f.Fuzz(func(t *testing.T, opening, inner, closing string, times uint32, tail string) {
		n := min(int(times), 4<<20/max(len(opening)+len(closing), 1)) // a few bytes make millions of brackets
		text := []byte(nested(opening, inner, closing, n) + tail)
		want := len(text) <= jsoncheck.MaxSize && json.Valid(text)
		if got := jsoncheck.Valid(text); got != want {
			t.Errorf("Valid = %v, want %v, of %d times %q, %q, %q, and %q", got, want, n, opening, inner, closing, tail)
		}
		if want && !jsoncheck.Bounded(text) {
			t.Error("valid and not bounded")
		}
	})
}

// BenchmarkBounded measures the extra cost for each response.
func BenchmarkBounded(b *testing.B) {
	text := []byte(`{"a":[` + strings.TrimSuffix(strings.Repeat(`{"label":"a model of some name","uid":"MODEL_X"},`, 4000), ",") + `]}`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if !jsoncheck.Bounded(text) {
			b.Fatal("not bounded")
		}
	}
}
