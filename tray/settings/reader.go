package settings

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// reader goes through a text, and sets the keys that are in it.
//
// The library's decoder stops at the first problem, and says no line for a value
// that is of the right type but not allowed. So its parser is used to go through
// the keys one by one, and its decoder for their values, and again for the whole
// text, to find what is wrong between keys.
type reader struct {
	text  []byte
	lines []int // where each begins
	keys  map[string]setting
	// names and sections are those of all, in order.
	names, sections []string

	// table is what the last header named; inert when that is nothing known,
	// which is told once and not for each of its keys.
	table []string
	inert bool
	// end is where the last statement ended.
	end int
	// seen are the keys and sections that were read, with their lines; shown
	// is what stands there for a key.
	seen     map[string]int
	shown    map[string]string
	problems []Problem
	// values are where the value of a key begins and ends, and headers where the line
	// below a section's does.
	values  map[string][2]int
	headers map[string]int
}

// newReader is one of a text, without the byte order mark that some editors put
// before it.
func newReader(text []byte, settings []setting) *reader {
	r := &reader{
		text: slices.Clip(bytes.TrimPrefix(text, []byte(byteOrderMark))), lines: []int{0},
		keys: map[string]setting{}, seen: map[string]int{}, shown: map[string]string{},
		values: map[string][2]int{}, headers: map[string]int{},
	}
	for at, b := range r.text {
		if b == '\n' && at+1 < len(r.text) {
			r.lines = append(r.lines, at+1)
		}
	}
	for _, s := range settings {
		r.keys[s.name()] = s
		r.names = append(r.names, s.name())
		if !slices.Contains(r.sections, s.section) {
			r.sections = append(r.sections, s.section)
		}
	}
	return r
}

const byteOrderMark = "\ufeff"

// line is the number of the line that has a byte.
func (r *reader) line(at int) int {
	return sort.Search(len(r.lines), func(i int) bool { return r.lines[i] > at })
}

func (r *reader) problemf(at int, format string, args ...any) {
	r.problems = append(r.problems, Problem{Line: r.line(at), text: fmt.Sprintf(format, args...)})
}

// refuse tells a value that its key does not take.
func (r *reader) refuse(line int, s setting, shown string, quotes bool) {
	text := s.name() + " is " + shown
	if shown == "" {
		text = s.name() + " has no value"
	}
	text += "; it takes " + s.takes
	if quotes {
		text += ", in quotes"
	}
	r.problems = append(r.problems, Problem{Line: line, text: text})
}

// refuseValues tells the values that are of the right type and not allowed.
func (r *reader) refuseValues(names []string) {
	for _, name := range names {
		r.refuse(r.seen[name], r.keys[name], r.shown[name], false)
	}
}

// checkBytes finds what no text has.
func (r *reader) checkBytes() bool {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(r.text, []byte(mark)) {
			r.problemf(0, "the file is in UTF-16; save it as UTF-8")
			return false
		}
	}
	if at := bytes.IndexByte(r.text, 0); at >= 0 {
		r.problemf(at, "there is a NUL byte, so that the file is damaged, or not in UTF-8")
		return false
	}
	for at := 0; at < len(r.text); {
		char, size := utf8.DecodeRune(r.text[at:])
		if char == utf8.RuneError && size == 1 {
			r.problemf(at, "there is a byte that is not UTF-8; save the file as UTF-8")
			return false
		}
		at += size
	}
	return true
}

// readAll goes through the statements, and reports whether all could be read.
func (r *reader) readAll() bool {
	whole := true
	var p unstable.Parser
	for begin := 0; ; {
		p.Reset(r.text[begin:])
		for p.NextExpression() {
			if len(r.problems) >= maxProblems {
				return r.enough()
			}
			r.statement(p.Expression(), begin)
		}
		err, ok := errors.AsType[*unstable.ParserError](p.Error())
		if !ok {
			return whole
		}
		whole = false
		if len(r.problems) >= maxProblems {
			return r.enough()
		}
		// The highlight is a slice of the text, and shares its end of capacity.
		at := len(r.text) - cap(err.Highlight)
		if begin, ok = r.resume(at, err.Message); !ok {
			return false
		}
		r.end = begin
	}
}

// maxProblems is more than anybody mends at once, and what a file that is no
// configuration at all may cost.
const maxProblems = 100

// enough ends reading.
func (r *reader) enough() bool {
	line := r.problems[len(r.problems)-1].Line
	r.problems = append(r.problems, Problem{Line: line, text: "so much is wrong up to here that the rest was not read"})
	return false
}

// checkWhole finds what is wrong between statements and was not seen yet.
func (r *reader) checkWhole() {
	err := toml.Unmarshal(r.text, &map[string]any{})
	if err == nil {
		return
	}
	line, message := 1, err.Error()
	if where, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ = where.Position()
		message = strings.TrimPrefix(message, "toml: ")
	}
	line = min(line, len(r.lines))
	if !slices.ContainsFunc(r.problems, func(p Problem) bool { return p.Line == line }) {
		r.problemf(r.lines[line-1], "this cannot be used: %s", message)
	}
}
