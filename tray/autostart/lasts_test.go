package autostart

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLasts(t *testing.T) {
	emptied := t.TempDir()
	below := filepath.Join(emptied, "x", "windsock.exe")
	if err := os.Mkdir(filepath.Dir(below), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(below, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	const (
		gone      = "was moved or deleted"
		temporary = "runs from a temporary directory"
		relative  = "does not know where its own program file lies"
	)
	tests := []struct{ name, executable, want string }{
		{"lasting", executable(t, "windsock.exe"), ""},
		{"beside_an_emptied_directory", executable(t, filepath.Base(emptied)+"-not", "windsock.exe"), ""},
		{"relative", "windsock.exe", relative},
		{"empty", "", relative},
		{"gone", filepath.Join(t.TempDir(), "gone.exe"), gone},
		{"below_an_emptied_directory", below, temporary},
		{"go_run", executable(t, "go-build1234", "b001", "exe", "windsock.exe"), temporary},
		{"go_run_from_the_cache", executable(t, "go-build", "ab", "windsock.exe"), temporary},
		{"named_like_it", executable(t, "go-builder", "windsock.exe"), ""},
		{"translocated", executable(t, "AppTranslocation", "1", "windsock.exe"), temporary},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := (&Entry{executable: tt.executable, temporary: []string{emptied}}).lasts()
			if tt.want == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if err == nil {
				t.Fatal("taken")
			}
			assertSays(t, err, tt.want)
		})
	}
}

// A test's directory is a temporary one on every system, so New's entry refuses what
// lies there, before it touches anything.
func TestEnableRefusesATemporaryExecutable(t *testing.T) {
	config := t.TempDir()
	t.Setenv("HOME", config)
	t.Setenv("XDG_CONFIG_HOME", config)
	err := New(executable(t, "windsock.exe")).Enable()
	if err == nil {
		t.Fatal("enabled")
	}
	assertSays(t, err, "runs from a temporary directory")
	if left, err := os.ReadDir(config); err != nil || len(left) > 0 {
		t.Errorf("touched: %v %v", left, err)
	}
}
