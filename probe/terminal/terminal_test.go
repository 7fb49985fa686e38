package terminal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// none is an empty environment.
func none(string) (string, bool) { return "", false }

func TestNoTerminal(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tests := []struct {
		name   string
		stream any
	}{
		{"file", file},
		{"builder", &strings.Builder{}},
		{"nothing", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if columns, lines := Size(tt.stream); Is(tt.stream) || columns != 0 || lines != 0 || Width(tt.stream, none) != 0 {
				t.Errorf("terminal: %t, %d by %d", Is(tt.stream), columns, lines)
			}
		})
	}
}

func TestColumnsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, columns string
		want          int
	}{
		{"empty", "", 0},
		{"number", "40", 40},
		{"blanks", " 40\n", 40},
		{"zero", "0", 0},
		{"negative", "-3", 0},
		{"word", "wide", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			lookup := func(name string) (string, bool) { return tt.columns, name == "COLUMNS" }
			if got := Width(&strings.Builder{}, lookup); got != tt.want {
				t.Errorf("%d, want %d", got, tt.want)
			}
		})
	}
}
