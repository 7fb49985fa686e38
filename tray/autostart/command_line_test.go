package autostart

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandLine(t *testing.T) {
	const exe = `C:\Program Files\Windsock\windsock.exe`
	for _, tt := range []struct {
		name  string
		words []string
		want  string
	}{
		{"plain", []string{`C:\windsock.exe`}, `"C:\windsock.exe"`},
		{"spaces", []string{exe, "tray"}, `"C:\Program Files\Windsock\windsock.exe" tray`},
		{"share", []string{`\\server\share\windsock.exe`}, `"\\server\share\windsock.exe"`},
		{"argument_with_space", []string{exe, "a b"}, `"` + exe + `" "a b"`},
		{"argument_with_quote", []string{exe, `a"b`}, `"` + exe + `" "a\"b"`},
		{"argument_ends_in_backslash", []string{exe, `C:\my dir\`}, `"` + exe + `" "C:\my dir\\"`},
		{"backslashes_before_quote", []string{exe, `a\\"b`}, `"` + exe + `" "a\\\\\"b"`},
		{"backslashes_alone", []string{exe, `a\\b`}, `"` + exe + `" a\\b`},
		{"empty_argument", []string{exe, "", "x"}, `"` + exe + `" "" x`},
		{"percent", []string{`C:\100%\windsock.exe`}, `"C:\100%\windsock.exe"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := joinCommandLine(tt.words)
			if err != nil || got != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
			if diff := cmp.Diff(tt.words, splitCommandLine(got)); diff != "" {
				t.Errorf("read back: %s", diff)
			}
		})
	}
}

func TestSplitCommandLine(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		want       []string
	}{
		{"empty", " \t", nil},
		{"unquoted", `C:\windsock.exe tray  -v `, []string{`C:\windsock.exe`, "tray", "-v"}},
		{"unquoted_alone", `C:\windsock.exe`, []string{`C:\windsock.exe`}},
		{"program_ends_in_backslash", `"C:\dir\" x`, []string{`C:\dir\`, "x"}},
		{"not_closed", `"C:\a b`, []string{`C:\a b`}},
		{"two_quotes_inside", `p "a""b"`, []string{"p", `a"b`}},
		{"joined", `p a"b c"d`, []string{"p", "ab cd"}},
		{"trailing_backslashes", `p a\\`, []string{"p", `a\\`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, splitCommandLine(tt.line)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCommandLineRefuses(t *testing.T) {
	long := `C:\` + strings.Repeat("ä", maxRun-5) // with its quotes as long as is allowed
	if _, err := joinCommandLine([]string{long}); err != nil {
		t.Errorf("%d characters: %v", maxRun, err)
	}
	for _, tt := range []struct {
		name  string
		words []string
		want  string
	}{
		{"too_long", []string{long + "x"}, "write autostart entry: it is longer than Windows takes there"},
		{"too_long_in_utf_16", []string{long[:len(long)-2] + "😀"}, "write autostart entry: it is longer than Windows takes there"},
		{"quote", []string{`C:\a"b`}, "write autostart entry: it is not plain text"},
		{"new_line", []string{`C:\a`, "x\ny"}, "write autostart entry: it is not plain text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := joinCommandLine(tt.words)
			if got := tell(t, err).Error; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSwitchedOff(t *testing.T) {
	for _, tt := range []struct {
		name     string
		approval []byte
		want     bool
	}{
		{"nothing", nil, false},
		{"on", []byte{2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, false},
		{"off", []byte{3, 0, 0, 0, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0x01}, true},
		{"on_again", []byte{6}, false},
		{"off_again", []byte{7}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := switchedOff(tt.approval); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}
