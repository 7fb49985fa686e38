package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// soakSettings are the settings of each session.
type soakSettings struct {
	files []string
	ports []int // of their local APIs

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

// askAnew makes the apps ask at once, whatever they wait for, as they do when something
// else is allowed.
func (s *soakSettings) askAnew(t *testing.T) { t.Helper(); s.change(t, func() { s.asked++ }) }

func (s *soakSettings) change(t *testing.T, change func()) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	allow := [][2]string{{"devin-cli@" + devinHost, "cursor@" + cursorHost}, {"cursor@" + cursorHost, "devin-cli@" + devinHost}}[s.asked%2]
	for i, file := range s.files {
		text := fmt.Sprintf("[usage]\nclock = %q\nwork_days = %s\n[spend]\nbackground = true\n[api]\nenabled = true\nport = %d\n[cloud]\nallow = [%q, %q]\n",
			[]string{"24h", "12h", "auto"}[s.edits%3], []string{"[]", `["mon", "tue", "wed"]`}[s.edits%2], s.ports[i], allow[0], allow[1])
		if s.broken {
			text += "clock = 13h\n"
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if (s.edits+s.asked+i)%2 != 0 { // some editors replace a file, and some write it
			replaceFile(t, file, text)
		} else if err := overwrite(file, text); err != nil {
			t.Fatal(err)
		}
	}
}

// overwrite writes a file that is empty at no moment: without settings the local API would
// end for that moment.
func overwrite(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Truncate(int64(len(text))), f.Close())
}
