package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// soakSettings are the settings of each session.
type soakSettings struct {
	files []string

	mu sync.Mutex // guards what follows
	// edits, and whether they make sense; asked says how often the apps were made to
	// ask anew.
	edits, asked int
	broken       bool
}

// edit changes what does not matter for the figures.
func (s *soakSettings) edit(t *testing.T) { t.Helper(); s.change(t, func() { s.edits++ }) }

// spoil makes the file unreadable, or repairs it.
func (s *soakSettings) spoil(t *testing.T, broken bool) {
	t.Helper()
	s.change(t, func() { s.broken = broken })
}

// askAnew makes the apps ask at once, whatever they wait for, as they do for another
// variant.
func (s *soakSettings) askAnew(t *testing.T) { t.Helper(); s.change(t, func() { s.asked++ }) }

func (s *soakSettings) change(t *testing.T, change func()) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	text := fmt.Sprintf("[usage]\nvariant = %q\nclock = %q\nwork_days = %s\n",
		[]string{"", "windsurf"}[s.asked%2], []string{"24h", "12h", "auto"}[s.edits%3],
		[]string{"[]", `["mon", "tue", "wed"]`}[s.edits%2])
	if s.broken {
		text += "clock = 13h\n"
	}
	for i, file := range s.files {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if (s.edits+s.asked+i)%2 != 0 { // some editors replace a file, and some write it
			replaceFile(t, file, text)
		} else if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
