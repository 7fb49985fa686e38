package field

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"windsock/usage"
)

func TestParseNumber(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text  string
		scale int64
		want  int64
		ok    bool
	}{
		{"50000", Hundredths, 500 * usage.One, true},
		{"0.1554225", Whole, 155_422, true},
		{"-0.1554225", Whole, -155_422, true},
		{"1e2", 1, 100, true},
		{"1E+2", 1, 100, true},
		{"150e-1", 1, 15, true},
		{"-0", 1, 0, true},
		{"9007199254740993", 1, 9007199254740993, true},
		{"9223372036854775807", 1, math.MaxInt64, true},
		{"-9223372036854775808", 1, math.MinInt64, true},
		{"9223372036854775808", 1, 0, false},
		{"9223372036854775807", 2, 0, false},
		{"1e-400", Whole, 0, true},
		{"1e400", 1, 0, false},
		{"1e1000000000", 1, 0, false},
		{"0e1000000000", 1, 0, true},
		{"", 1, 0, false},
		{"-", 1, 0, false},
		{"+5", 1, 0, false},
		{"05", 1, 0, false},
		{".5", 1, 0, false},
		{"5.", 1, 0, false},
		{" 5", 1, 0, false},
		{"5\n", 1, 0, false},
		{"0x10", 1, 0, false},
		{"1_000", 1, 0, false},
		{"NaN", 1, 0, false},
		{"Infinity", 1, 0, false},
		{"٣", 1, 0, false},
		{"0." + strings.Repeat("1", 64), 1, 0, false},
		{"1e300", 1, 0, false},
		{"1e-1000000000", 1, 0, true},
	}
	for _, tt := range tests {
		got, ok := ParseNumber(tt.text, tt.scale)
		if ok != tt.ok || (ok && got != tt.want) {
			t.Errorf("%q times %d is %d, %v, want %d, %v", tt.text, tt.scale, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzParseNumber(f *testing.F) {
	for _, seed := range []string{"1", "-1.5", "1e9", "1e-9", "NaN", "0x1", "9223372036854775807", "1e999999999", "٣"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := ParseNumber(text, Whole)
		if !ok {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q is no JSON number", text)
		}
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if diff := math.Abs(float64(got)/usage.One - want); diff > 1e-6+math.Abs(want)*1e-12 {
			t.Fatalf("%q is read as %d millionths", text, got)
		}
	})
}

func FuzzDates(f *testing.F) {
	for _, seed := range []string{"2026-01-18T09:07:17Z", "9999-12-31T23:59:59-23:59", "253402300799", "1774080000", "-1", "1e18", "9223372036854775807"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := json.Marshal(map[string]any{"s": text})
		if err != nil {
			t.Fatal(err)
		}
		object := gjson.ParseBytes(raw)
		for _, got := range []time.Time{
			ReadDate(object, "s"), ReadClock(object, "s", time.Second), ReadClock(object, "s", time.Millisecond),
		} {
			if got.IsZero() {
				continue
			}
			if got.Year() < 1970 || got.Year() > 9999 || got.Unix() < 0 {
				t.Fatalf("%q is read as %v", text, got)
			}
			if _, err := json.Marshal(got); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestReadFlag(t *testing.T) {
	t.Parallel()
	type flag struct{ value, ok bool }
	for raw, want := range map[string]flag{
		`{}`: {false, true}, `{"f":null}`: {false, true}, `{"f":true}`: {true, true}, `{"f":"true"}`: {true, true},
		`{"f":false}`: {false, true}, `{"f":"false"}`: {false, true},
		`{"f":"yes"}`: {false, false}, `{"f":1}`: {false, false}, `{"f":{}}`: {false, false},
	} {
		var got flag
		if got.value, got.ok = ReadFlag(gjson.Parse(raw), "f"); got != want {
			t.Errorf("%s is %+v, want %+v", raw, got, want)
		}
	}
}
