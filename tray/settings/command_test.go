package settings

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"windsock/probe/say"
)

var lineNumber = regexp.MustCompile(`line \d+`)

// TestCommand runs `windsock config` once after the other, on one file.
func TestCommand(t *testing.T) {
	t.Parallel()
	f := at(filepath.Join(t.TempDir(), "windsock", Name))
	homeless := errors.New("no home")
	tests := []struct {
		name, args string
		// text is written first, where there is one.
		text string
		err  error
		want string // of the output, or of the error
		told string // on standard error, beside the output
		code int
	}{
		{name: "no_home", err: homeless, want: "no home", code: 1},
		{name: "path", want: f.Path + "\n"},
		{name: "check_nothing", args: "--check", want: "There is no config.toml; the defaults hold.\n"},
		{name: "init", args: "--init", want: f.Path + "\n"},
		{name: "check", args: "--check", want: "config.toml is fine.\n"},
		{name: "init_again", args: "--init", want: f.Path + "\n", told: "windsock: config.toml is there already; it was left as it is.\n"},
		{name: "both", args: "--init --check", want: "--init makes the file, and --check looks it over; give one of them", code: 2},
		{
			name: "check_broken", args: "--check", text: "a = 1\nb = 1\n", code: 2,
			want: "config.toml, line N: there is no key a; there are [usage], [tray], [api], [log].\n" +
				"config.toml, line N: there is no key b; there are [usage], [tray], [api], [log].",
		},
	}
	for _, tt := range tests {
		if tt.text != "" {
			if err := os.WriteFile(f.Path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := NewCommand(func() (File[sample], error) { return f, tt.err })
		var out, told strings.Builder
		cmd.SetOut(&out)
		cmd.SetErr(&told)
		cmd.SetArgs(strings.Fields(tt.args))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		err := cmd.ExecuteContext(t.Context())
		got, code := out.String(), 0
		if err != nil {
			got, code = got+lineNumber.ReplaceAllString(say.Sentence(err, err.Error()), "line N"), say.Exit(err)
		}
		if got != tt.want || code != tt.code || told.String() != tt.told {
			t.Errorf("%s: exit code %d, want %d; says %q, want %q; told %q, want %q", tt.name, code, tt.code, got, tt.want, told.String(), tt.told)
		}
	}
}
