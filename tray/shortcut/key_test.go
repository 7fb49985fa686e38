package shortcut

import (
	"strings"
	"testing"
)

func TestKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, want string // "" is no key
	}{
		{"Ctrl+Alt+W", "Ctrl+Alt+W"},
		{"alt + ctrl + w", "Ctrl+Alt+W"},
		{"Win+Space", "Super+Space"},
		{"cmd+Shift+7", "Shift+Super+7"},
		{"F12", "F12"},
		{"Shift+f1", "Shift+F1"},
		{"Ctrl+F24", "Ctrl+F24"},
		{"", ""},
		{"W", ""},
		{"Shift+W", ""},
		{"Space", ""},
		{"Ctrl", ""},
		{"Ctrl+", ""},
		{"+W", ""},
		{"Ctrl+Ctrl+W", ""},
		{"Ctrl+Control+W", ""},
		{"Hyper+W", ""},
		{"Ctrl+WW", ""},
		{"Ctrl+ä", ""},
		{"F0", ""},
		{"F25", ""},
		{"F01", ""},
		{"Ctrl+F+1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			k, ok := parse(tt.text)
			if got := k.String(); ok && got != tt.want || ok != (tt.want != "") {
				t.Errorf("%q, %v; want %q", got, ok, tt.want)
			}
			if invalid := (Config{tt.text}).Invalid(); (invalid == nil) != (ok || tt.text == "") {
				t.Errorf("invalid: %q", invalid)
			}
		})
	}
}

// FuzzKey: what is read is read the same once more.
func FuzzKey(f *testing.F) {
	for _, text := range []string{"Ctrl+Alt+W", "F12", "win+space", "Shift+7", "++", "Ctrl+\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, ok := parse(text)
		if !ok {
			return
		}
		again, ok := parse(strings.ToLower(k.String()))
		if !ok || again != k {
			t.Errorf("%q is %v, and that is %v", text, k, again)
		}
	})
}
