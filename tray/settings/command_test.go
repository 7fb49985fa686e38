package settings

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var lineNumber = regexp.MustCompile(`line \d+`)

// TestCommand runs `windsock config` once after the other, on one file.
func TestCommand(t *testing.T) {
	t.Parallel()
	f := at(filepath.Join(t.TempDir(), "windsock", Name))
	homeless := errors.New("no home")
	broken := strings.Repeat("a = 1\n", 12)
	tests := []struct {
		name, args string
		// text is written first, where there is one.
		text string
		err  error
		want string // of the output, or of what the error says
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
			name: "check_broken", args: "--check", text: broken, code: 2,
			want: strings.TrimSuffix(strings.Repeat("config.toml, line N: there is no key a; there are [usage], [tray], [api], [log].\n", 12), "\n"),
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
			said, coded := err.Error(), 1
			if s, ok := errors.AsType[interface {
				error
				Sentence() string
			}](err); ok {
				said = s.Sentence()
			}
			if c, ok := errors.AsType[interface {
				error
				ExitCode() int
			}](err); ok {
				coded = c.ExitCode()
			}
			got, code = got+lineNumber.ReplaceAllString(said, "line N"), coded
		}
		if got != tt.want || code != tt.code || told.String() != tt.told {
			t.Errorf("%s: exit code %d, want %d; says %q, want %q; told %q, want %q", tt.name, code, tt.code, got, tt.want, told.String(), tt.told)
		}
	}
}
