package redact_test

import (
	"strings"
	"testing"

	"windsock/probe/redact"
)

func TestFolder(t *testing.T) {
	t.Parallel()
	tests := []struct{ uri, want string }{
		{"", ""},
		{"file:///", ""},
		{"file://", ""},
		{"..", ""},
		{"file:///home/ada/shop", "shop"},
		{"file:///home/ada/shop/", "shop"},
		{"file:///home/ada/My%20Shop", "My Shop"},
		{"file:///home/ada/100%", "100%"},
		{"file:///home/ada/a%1b%5b2Jb", "ab"},
		{"file:///c%3A/Users/ada/shop", "shop"},
		{"file:///c%3A/", ""},
		{`C:\Users\ada\shop`, "shop"},
		{`C:\`, ""},
		{"/home/ada/shop", "shop"},
		{"vscode-remote://ssh-remote%2Bbox/srv/shop", "shop"},
		{"file://server/share", "share"},
		{"vscode-remote://wsl%2Bubuntu/srv/My%20Shop/", "My Shop"},
		{"vscode-remote://ssh-remote%2Bbox/home/ada", "~"},
		{"file:///home/ada", "~"},
		{"file:///Users/ada/", "~"},
		{"file:///var/home/ada", "~"},
		{"file:///c%3A/Users/ada", "~"},
		{`C:\Users\ada`, "~"},
		{"file:///root", "~"},
		{"file:///home/ada/../bea", "~"},
		{"file:///srv/home/ada", "ada"},
	}
	for _, tt := range tests {
		if got := redact.Folder(tt.uri); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.uri, got, tt.want)
		}
	}
}

func FuzzFolder(f *testing.F) {
	for _, seed := range []string{"file:///home/ada/shop", "\x1b]0;x\x07a", "C:\\x", "\xc2\x1b\x9b", "é\u202e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if name := redact.Folder(text); strings.ContainsAny(name, "/\\\x1b\n") {
			t.Errorf("folder %q: got %q", text, name)
		}
	})
}
