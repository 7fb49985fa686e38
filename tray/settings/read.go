package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"windsock/probe/sorted"
)

// reading is the readable part of a text.
type reading[T any] struct {
	value    T // with the defaults for unreadable keys
	problems []Problem
	// cut says that the text is no TOML from some line on, and was read up to there
	// only.
	cut bool

	settings []setting // of the value
	places   places
}

const byteOrderMark = "\ufeff"

// read reads a text, and skips the byte order mark of some editors.
func (f File[T]) read(text []byte) *reading[T] {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	r := &reading[T]{value: f.Defaults(), places: placesIn(text)}
	r.settings = settingsOf(&r.value)
	if !utf8.Valid(text) {
		r.problemf(0, "it is not in UTF-8; save it as UTF-8")
		r.cut = true
		return r
	}
	values := map[string]any{}
	if err := toml.Unmarshal(text, &values); err != nil {
		values = map[string]any{}
		r.cut = true
		// The text before it may be TOML.
		if at := r.unreadable(text, err); toml.Unmarshal(text[:at], &values) != nil {
			values = nil
		}
	}
	shown := map[string]string{}
	for section, value := range values {
		r.section(section, value, shown)
	}
	defaults := f.Defaults()
	usual := settingsOf(&defaults)
	for _, name := range f.Invalid(r.value) {
		if s, ok := find(r.settings, name); ok {
			r.refuse(s, shown[name], false)
			standard, _ := find(usual, name)
			s.value.Set(standard.value)
		}
	}
	sorted.By(r.problems, func(a, b Problem) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.text, b.text)) })
	return r
}

// err is a *BrokenError, or nil.
func (r *reading[T]) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return &BrokenError{Problems: r.problems}
}

func (r *reading[T]) problemf(line int, format string, args ...any) {
	r.problems = append(r.problems, Problem{Line: line, text: fmt.Sprintf(format, args...)})
}

// unreadable reports where the text is no TOML, and returns where that line begins.
func (r *reading[T]) unreadable(text []byte, err error) (begin int) {
	line, message := 1, err.Error()
	if where, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ = where.Position()
	}
	for range line - 1 {
		next := bytes.IndexByte(text[begin:], '\n') + 1
		if next == 0 || begin+next == len(text) { // the line after the last one
			line = bytes.Count(text[:begin], []byte("\n")) + 1
			break
		}
		begin += next
	}
	first, _, _ := bytes.Cut(text[begin:], []byte("\n"))
	for name, p := range r.places.values {
		s, ok := find(r.settings, name)
		if !ok || p.line != line {
			continue
		}
		value, _, _ := bytes.Cut(text[p.begin:begin+len(first)], []byte("#"))
		value = bytes.TrimSpace(value)
		if _, isValue := valueOf(value); !isValue && !bytes.ContainsAny(value, `"'[{`) {
			r.refuse(s, short(string(value)), s.quoted())
			return begin
		}
	}
	r.problemf(line, "this cannot be read: %s", printable(strings.TrimPrefix(message, "toml: ")))
	return begin
}

// section takes the values of a section.
func (r *reading[T]) section(name string, value any, shown map[string]string) {
	keys, isTable := value.(map[string]any)
	if !slices.Contains(r.sections(), name) {
		_, isList := value.([]any)
		r.unknown(name, isTable || isList)
		return
	}
	if !isTable {
		r.problemf(r.places.line(name), "%s is a section; write [%[1]s], and its keys on the lines below", name)
	}
	for key, value := range keys {
		s, ok := find(r.settings, name+"."+key)
		if !ok {
			r.unknown(name+"."+key, false)
			continue
		}
		shown[s.name()] = show(value)
		if !s.take(value) {
			_, isText := value.(string)
			r.refuse(s, show(value), s.quoted() && !isText)
		}
	}
}

// refuse reports a value that its key does not take.
func (r *reading[T]) refuse(s setting, shown string, quotes bool) {
	text := s.name() + " is " + shown
	if shown == "" {
		text = s.name() + " has no value"
	}
	text += "; it takes " + s.takesInFile()
	if quotes {
		text += ", in quotes"
	}
	r.problemf(r.places.line(s.name()), "%s", text)
}

func (r *reading[T]) sections() []string {
	var all []string
	for _, s := range r.settings {
		if !slices.Contains(all, s.section) {
			all = append(all, s.section)
		}
	}
	return all
}

// unknown reports a key, or a section, that does not exist.
func (r *reading[T]) unknown(name string, isSection bool) {
	kind, mark, sections := "key", "%s", r.sections()
	section, _, _ := strings.Cut(name, ".")
	var names, beside []string
	for _, s := range r.settings {
		names = append(names, s.name())
		if s.section == section {
			beside = append(beside, s.key)
		}
	}
	if isSection {
		kind, mark, names = "section", "[%s]", sections
	}
	instead := "there are [" + strings.Join(sections, "], [") + "]"
	if near := nearestKey(name, names); near != "" {
		instead = "did you mean " + fmt.Sprintf(mark, near) + "?"
	} else if len(beside) > 0 {
		instead = "[" + section + "] has " + strings.Join(beside, ", ")
	}
	r.problemf(r.places.line(name), "there is no %s "+mark+"; %s", kind, short(name), instead)
}

// show is a value for people.
func show(value any) string {
	switch value := value.(type) {
	case string:
		return `"` + short(value) + `"`
	case []any:
		return "a list"
	case map[string]any:
		return "a section"
	default:
		return short(fmt.Sprint(value))
	}
}

// short is the beginning of a possibly long text, safe to show.
func short(text string) string {
	const most = 40
	text = printable(text)
	if chars := []rune(text); len(chars) > most {
		return string(chars[:most]) + "…"
	}
	return text
}

// printable removes characters that may control the terminal.
func printable(text string) string {
	return strings.Map(func(char rune) rune {
		if !strconv.IsPrint(char) {
			return utf8.RuneError
		}
		return char
	}, text)
}
