package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"windsock/chat/window"
)

// Saving keeps what a person has written: a value is put in the place of the one
// before, else its key's line that --init has written is used, else a line is
// added to its section. Only a file that is not what it should be after that, as one
// that could not be read in the first place, is written anew, and that costs its
// comments, so it is asked for.

// change is a key with the value that it shall have, in TOML.
type change struct{ section, key, value string }

func (c change) name() string { return c.section + "." + c.key }

// editConfig is the text with changes in it; false where they cannot be put in
// without a loss. What comes out is read again, so that it is what it should be.
func editConfig(text []byte, changes []change, want config) ([]byte, bool) {
	edited := text
	for _, c := range changes {
		next, ok := c.in(edited)
		if !ok {
			return nil, false
		}
		edited = next
	}
	got, err := parseConfig(edited)
	return edited, err == nil && reflect.DeepEqual(got, want)
}

// in is a text with the change in it.
func (c change) in(text []byte) ([]byte, bool) {
	mark := len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	r := newConfigReader(text[mark:])
	if !r.checkBytes() || !r.readAll() {
		return nil, false
	}
	put := func(from, to int, with string) []byte {
		return slices.Concat(text[:mark+from], []byte(with), text[mark+to:])
	}
	if span, ok := r.values[c.name()]; ok {
		if raw := r.text[span[0]:span[1]]; bytes.ContainsRune(raw, '\n') && bytes.ContainsRune(raw, '#') {
			return nil, false // there may be a comment between the elements
		}
		return put(span[0], span[1], c.value), true
	}
	newline := "\n"
	if bytes.Contains(r.text, []byte("\r\n")) {
		newline = "\r\n"
	}
	line := c.key + " = " + c.value + newline
	begin, ok := r.headers[c.section]
	if !ok {
		gap := newline
		if len(r.text) == 0 {
			gap = ""
		} else if !bytes.HasSuffix(r.text, []byte("\n")) {
			gap += newline
		}
		return put(len(r.text), len(r.text), gap+"["+c.section+"]"+newline+line), true
	}
	if from, to, ok := r.commentedOut(c, begin); ok {
		return put(from, to, line), true
	}
	if begin > 0 && r.text[begin-1] != '\n' { // the header ends the file
		line = newline + line
	}
	return put(begin, begin, line), true
}

// commentedOut is the line, from begin on and within its section, on which --init
// has written the key behind a #.
func (r *configReader) commentedOut(c change, begin int) (from, to int, ok bool) {
	known := r.keys[c.section+"."+c.key]
	form := regexp.MustCompile(`^# ?` + regexp.QuoteMeta(c.key) + `\s*=\s*(.+?)\s*$`)
	for at := begin; at < len(r.text); {
		line := r.text[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("[")) {
			return 0, 0, false
		}
		scratch := known
		scratch.value = reflect.New(known.value.Type()).Elem()
		if found := form.FindSubmatch(bytes.TrimRight(line, "\r\n")); found != nil && scratch.decode(found[1]) {
			return at, at + len(line), true
		}
		at += len(line)
	}
	return 0, 0, false
}

// rewritten is the file of --init with the values that are not the defaults.
func rewritten(c config) ([]byte, error) {
	text, err := configText()
	if err != nil {
		return nil, err
	}
	changes, err := c.differences(defaultConfig())
	if err != nil {
		return nil, err
	}
	edited, ok := editConfig([]byte(text), changes, c)
	if !ok {
		return nil, errors.New("write config: it cannot be read again")
	}
	return edited, nil
}

// differences are what makes another configuration this one.
func (c config) differences(from config) ([]change, error) {
	var changes []change
	before := settingsOf(&from)
	for i, s := range settingsOf(&c) {
		if reflect.DeepEqual(s.value.Interface(), before[i].value.Interface()) {
			continue
		}
		value, err := s.inTOML()
		if err != nil {
			return nil, err
		}
		changes = append(changes, change{s.section, s.key, value})
	}
	return changes, nil
}

// hasComments reports whether there is a comment that --init has not written.
func hasComments(text []byte) bool {
	ours, err := configText()
	if err != nil {
		return true
	}
	known := map[string]bool{}
	for line := range strings.Lines(ours) {
		known[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "#") && !known[line] {
			return true
		}
	}
	return false
}

// salvaged is what can be read of a text, with the defaults for the rest.
func salvaged(text []byte) config {
	r := newConfigReader(bytes.TrimPrefix(text, []byte("\ufeff")))
	if !r.checkBytes() {
		return defaultConfig()
	}
	r.readAll()
	defaults := defaultConfig()
	usual := settingsOf(&defaults)
	for _, name := range r.config.invalid() {
		i := slices.IndexFunc(usual, func(s setting) bool { return s.name() == name })
		r.keys[name].value.Set(usual[i].value)
	}
	return r.config
}

// saveConfig makes a change to the configuration and keeps it in the file, which
// is there as it was or as it shall be, whatever happens. Where that costs
// comments, or what cannot be read, it fails with window.ErrComments unless lose is
// set.
func saveConfig(path string, apply func(*config), lose bool) error {
	saving.Lock()
	defer saving.Unlock()
	for range saveTries {
		text, err := readConfig(path)
		if err != nil {
			return err
		}
		before := salvaged(text)
		after := salvaged(text)
		apply(&after)
		changes, err := after.differences(before)
		if err != nil {
			return err
		}
		_, broken := parseConfig(text)
		if broken == nil && len(changes) == 0 {
			return nil
		}
		edited, ok := editConfig(text, changes, after)
		switch {
		case len(text) == 0, !ok && (lose || broken == nil && !hasComments(text)):
			if edited, err = rewritten(after); err != nil {
				return err
			}
		case !ok:
			return window.ErrComments
		}
		err = replaceConfig(path, text, edited)
		if err == nil {
			return nil
		}
		if !errors.Is(err, errChanged) {
			cause := withoutPath(err)
			return &saveError{cause}
		}
	}
	return &saveError{errChanged}
}

// saving lets one save at a time in this process; another process, or an editor,
// is seen by what it has changed.
var saving sync.Mutex

// saveTries is how often another may be quicker.
const saveTries = 5

var errChanged = errors.New("another program keeps writing it")

// saveError is a file that could not be written.
type saveError struct{ cause error }

func (e *saveError) Error() string { return "write config: " + e.cause.Error() }
func (e *saveError) Unwrap() error { return e.cause }
func (e *saveError) Sentence() string {
	return configName + " cannot be written: " + e.cause.Error() + "."
}

// replaceConfig puts a whole file in the place of the one that is there, where a
// link leads, with the mode that that one has. The error is errChanged where that
// does not hold what was read before any more.
func replaceConfig(path string, before, text []byte) error {
	mode := fs.FileMode(0o600)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
		if f, err := os.OpenFile(path, os.O_WRONLY, 0); err != nil { // one that is not to be written stays as it is
			return err
		} else if err := f.Close(); err != nil {
			return err
		}
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	whole, err := os.CreateTemp(dir, ".config-*")
	if err != nil {
		return err
	}
	_, err = whole.Write(text)
	err = errors.Join(err, whole.Chmod(mode), whole.Sync(), whole.Close())
	if now, unread := readConfig(path); err == nil && (unread != nil || !bytes.Equal(now, before)) {
		err = errChanged
	}
	if err == nil {
		err = os.Rename(whole.Name(), path)
	}
	if err != nil {
		_ = os.Remove(whole.Name()) // err says enough
		return fmt.Errorf("replace config: %w", err)
	}
	return nil
}
