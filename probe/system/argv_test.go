package system

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestServerName(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{
		"/usr/share/windsurf/resources/app/extensions/windsurf/bin/language_server_linux_x64": true,
		"language_server":        true,
		"language_server_linux_": true,
		`C:\Program Files\Windsurf\bin\language_server_windows_x64.exe`:                          true,
		"/Applications/Windsurf - Next.app/Contents/Resources/app/bin/language_server_macos_arm": true,
		`C:\WINDSURF\LANGUAGE_SERVER_WINDOWS_X64.EXE`:                                            true,
		"/opt/Language_Server_linux_x64":                                                         false,
		".exe":                                                                                   false,
		"/usr/bin/language_servers":                                                              false,
		"/usr/bin/my_language_server":                                                            false,
		"/opt/language_server/helper":                                                            false,
		"/usr/bin/python language_server_linux":                                                  false,
		"/Applications/Antigravity/language-server":                                              true,
		"language-server-arm":                                                                    true,
		"/usr/bin/language-servers":                                                              false,
		"/home/jo/.local/bin/agy":                                                                true,
		"/usr/bin/agyx":                                                                          false,
		`C:\Users\jo\AppData\Local\agy\agy.exe`:                                                  true,
		"":                                                                                       false,
	} {
		if got := serverName(baseName(file)); got != want {
			t.Errorf("serverName(%q) = %v", file, got)
		}
	}
}

func TestFlagValue(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, args, want string }{
		{"two_words", "--csrf_token ABC-123 --foo", "ABC-123"},
		{"one_word", "--extension_server_port=42 --csrf_token=ABC-123", "ABC-123"},
		{"one_dash", "-csrf_token ABC", "ABC"},
		{"last_one_counts", "--csrf_token a --csrf_token=b", "b"},
		{"absent", "--foo --bar=1", ""},
		{"longer_name", "--csrf_token_file x --extension_server_csrf_token=y", ""},
		{"no_value", "--csrf_token", ""},
		{"another_flag_is_no_value", "--csrf_token --foo", ""},
		{"empty_value", "--csrf_token= --foo", ""},
		{"value_with_equals", "--csrf_token=a=b", "a=b"},
		{"positional", "csrf_token=a csrf_token b", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := flagValue(strings.Fields(tt.args), "csrf_token"); got != tt.want {
				t.Errorf("flagValue(%q) = %q, want %q", tt.args, got, tt.want)
			}
		})
	}
}

func TestNewProcessToken(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, args, environ, want string }{
		{"environment_wins", "--csrf_token flag", "A=1\x00WINDSURF_CSRF_TOKEN=env\x00", "env"},
		{"flag_without_environment", "--csrf_token flag", "", "flag"},
		{"empty_variable_is_none", "--csrf_token flag", "WINDSURF_CSRF_TOKEN=\x00", "flag"},
		{"first_variable_counts", "", "WINDSURF_CSRF_TOKEN=a\x00WINDSURF_CSRF_TOKEN=b\x00", "a"},
		{"longer_variable", "", "MY_WINDSURF_CSRF_TOKEN=a\x00WINDSURF_CSRF_TOKEN_2=b\x00", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := NewProcess(1, 2, "/x/language_server", strings.Fields(tt.args), splitNUL([]byte(tt.environ)), nil)
			if got := p.Token.Reveal(); got != tt.want {
				t.Errorf("token = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSplitNUL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, data string
		want       []string
	}{
		{"empty", "", nil},
		{"only_nul", "\x00", nil},
		{"terminated", "a\x00b c\x00", []string{"a", "b c"}},
		{"cut_off", "a\x00b", []string{"a", "b"}},
		{"empty_argument", "a\x00\x00b\x00", []string{"a", "", "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, splitNUL([]byte(tt.data))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzProgram: whatever a command line holds, a program is a part of it.
func FuzzProgram(f *testing.F) {
	f.Add([]byte("/usr/bin/agy\x00-p\x00"))
	f.Add([]byte("node\x00--x\x00/a/antigravity-cli/b.js\x00"))
	f.Add([]byte("language-server-\x00"))
	f.Fuzz(func(t *testing.T, line []byte) {
		argv := splitNUL(line)
		if len(argv) == 0 {
			return
		}
		if got := Program(argv[0], argv); got != "" && !slices.Contains(argv, got) {
			t.Errorf("%q of %q", got, argv)
		}
	})
}
