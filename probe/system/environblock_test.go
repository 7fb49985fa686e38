package system

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

func encodeUTF16(text string) []byte {
	var data []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		data = binary.LittleEndian.AppendUint16(data, unit)
	}
	return data
}

func TestParseEnvironBlock(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		data []byte
		want []string
	}{
		{"whole", encodeUTF16("=C:=C:\\\x00USERNAME=Zoë 🪁\x00WINDSURF_CSRF_TOKEN=a=b\x00\x00"), []string{`=C:=C:\`, "USERNAME=Zoë 🪁", "WINDSURF_CSRF_TOKEN=a=b"}},
		{"behind_the_end", encodeUTF16("A=1\x00\x00B=2\x00"), []string{"A=1"}},
		{"cut_off", encodeUTF16("A=1\x00B=2"), []string{"A=1"}},
		{"odd_length", append(encodeUTF16("A=1\x00"), 'B'), []string{"A=1"}},
		{"zeros_in_letters", encodeUTF16("A=\u0100\u0001\x00\x00"), []string{"A=\u0100\u0001"}},
		{"empty", encodeUTF16("\x00\x00"), nil},
		{"nothing", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, parseEnvironBlock(tt.data)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzEnvironBlock: a well-formed block is returned unchanged.
func FuzzEnvironBlock(f *testing.F) {
	f.Add(encodeUTF16("A=1\x00B=ü\x00\x00"))
	f.Add([]byte{0, 0xd8, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		environ := parseEnvironBlock(data)
		if slices.Contains(environ, "") || strings.Contains(strings.Join(environ, ""), "\x00") {
			t.Errorf("%q has empty strings or NULs", environ)
		}
		again := parseEnvironBlock(encodeUTF16(strings.Join(environ, "\x00") + "\x00\x00"))
		if diff := cmp.Diff(environ, again); diff != "" {
			t.Error(diff)
		}
	})
}
