package openai

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestKeyFile(t *testing.T) {
	t.Parallel()
	write := func(dir, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, keyName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, keyName), mode); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, text string
		mode       os.FileMode
		want       error
	}{
		{"own", "a-key-of-my-own-choice\n", 0o600, nil},
		{"open_to_others", "a-key-of-my-own-choice", 0o640, errOpenKey},
		{"empty", "", 0o600, errBadKey},
		{"short", "key", 0o600, errBadKey},
		{"breaks_out_of_a_shell", "a-key-of-my-own-choice'; rm -rf /", 0o600, errBadKey},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && tt.mode != 0o600 {
				t.Skip("no modes")
			}
			dir := filepath.Join(t.TempDir(), "state")
			write(dir, tt.text, tt.mode)
			if _, err := readKey(dir); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	s := run(t, says("Hi."), nil)
	for _, name := range []string{keyName, portName, lockName} {
		info, err := os.Stat(filepath.Join(s.Dir, name))
		if err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if err := New(s.Options).Run(t.Context()); !errors.Is(err, errServes) {
		t.Errorf("a second one: %v", err)
	}
}
