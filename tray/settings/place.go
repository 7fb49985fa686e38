package settings

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// places are the positions of a text's sections and keys that begin a line; the
// library's decoder does not report them. Text that only looks like a key, such as a
// line of a long string, has a place too: every change is read again before it is
// stored.
type places struct {
	headers map[string]place // begin is the line below
	values  map[string]place // begin is the value; names are whole
}

// place is a position in a text.
type place struct {
	line  int // from 1
	begin int // in bytes
}

var (
	headerLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[ \t]*\[{1,2}[ \t]*([A-Za-z0-9_.-]+)[ \t]*\]{1,2}[ \t]*(?:#.*)?\r?\n?$`)
	})
	keyLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*([A-Za-z0-9_.-]+)[ \t]*=[ \t]*`) })
)

func placesIn(text []byte) places {
	p := places{headers: map[string]place{}, values: map[string]place{}}
	section, at, line := "", 0, 0
	for content := range bytes.Lines(text) {
		line++
		if found := headerLine().FindSubmatch(content); found != nil {
			name := string(found[1])
			section = name + "."
			add(p.headers, name, place{line, at + len(content)})
		} else if found := keyLine().FindSubmatch(content); found != nil {
			add(p.values, section+string(found[1]), place{line, at + len(found[0])})
		}
		at += len(content)
	}
	return p
}

func add(all map[string]place, name string, p place) {
	if _, ok := all[name]; !ok {
		all[name] = p
	}
}

// line is the line of a section or key, 0 if unknown.
func (p places) line(name string) int {
	section, _, _ := strings.Cut(name, ".") // a section may stand in one line
	return cmp.Or(p.values[name].line, p.headers[name].line, p.values[section].line)
}

// valueEnd returns the end of the value that begins there: the first line end or
// comment up to which the text is a value.
func valueEnd(text []byte, begin int) (end int, ok bool) {
	const most = 200 // lines and #s
	end = begin
	for range most {
		next := bytes.IndexAny(text[end:], "#\n")
		stop := end + next
		if next < 0 {
			stop = len(text)
		}
		raw := bytes.TrimRight(text[begin:stop], " \t\r\n")
		if _, ok := valueOf(raw); ok {
			return begin + len(raw), true
		}
		if next < 0 {
			break
		}
		end = stop + 1
	}
	return 0, false
}

// valueOf parses a text as a key's value.
func valueOf(raw []byte) (any, bool) {
	var line struct{ Value any }
	err := toml.Unmarshal(append([]byte("value = "), raw...), &line)
	return line.Value, err == nil && line.Value != nil
}
