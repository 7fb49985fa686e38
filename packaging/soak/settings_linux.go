package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// settings is the configuration file of each home.
type settings struct {
	files []string

	mu sync.Mutex // guards what follows
	// edits, and whether they make sense; asked says how often the apps were made to
	// ask anew.
	edits, asked int
	broken       bool
}

// edit changes what does not matter for the figures.
func (s *settings) edit() error { return s.change(func() { s.edits++ }) }

// spoil writes what cannot be read, or mends it.
func (s *settings) spoil(broken bool) error { return s.change(func() { s.broken = broken }) }

// askAnew makes the apps ask at once, whatever they wait for, as they do for
// another variant.
func (s *settings) askAnew() error { return s.change(func() { s.asked++ }) }

func (s *settings) change(change func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	text := fmt.Sprintf("[usage]\nvariant = %q\nclock = %q\nwork_days = %s\n",
		[]string{"", "windsurf"}[s.asked%2], []string{"24h", "12h", "auto"}[s.edits%3],
		[]string{"[]", `["mon", "tue", "wed"]`}[s.edits%2])
	if s.broken {
		text += "clock = 13h\n"
	}
	var errs []error
	for i, file := range s.files {
		errs = append(errs, os.MkdirAll(filepath.Dir(file), 0o700))
		if (s.edits+s.asked+i)%2 == 0 { // some editors write a file, and some replace it
			errs = append(errs, os.WriteFile(file, []byte(text), 0o600))
			continue
		}
		errs = append(errs, os.WriteFile(file+"~", []byte(text), 0o600), os.Rename(file+"~", file))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}
