package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// parseConfig reads the text of a file, and finds everything that is wrong with
// it. Its error is a *configError, and the config beside it is the defaults.
//
// The library's decoder stops at the first problem, and says no line for a value
// that is of the right type but not allowed. So its parser is used to go through
// the keys one by one, and its decoder for their values, and again for the whole
// text, to find what is wrong between keys.
func parseConfig(text []byte) (config, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // some editors put it there
	r := newConfigReader(text)
	if r.checkBytes() && r.readAll() {
		r.checkWhole()
	}
	r.checkValues()
	if len(r.problems) == 0 {
		return r.config, nil
	}
	slices.SortStableFunc(r.problems, func(a, b configProblem) int { return cmp.Compare(a.Line, b.Line) })
	return defaultConfig(), &configError{Problems: r.problems}
}

// configReader goes through a text.
type configReader struct {
	text   []byte
	lines  []int // where each begins
	config config
	keys   map[string]setting
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
	problems []configProblem
	// values are where the value of a key begins and ends, and headers where the line
	// below a section's does.
	values  map[string][2]int
	headers map[string]int
}

func newConfigReader(text []byte) *configReader {
	r := &configReader{
		text: slices.Clip(text), lines: []int{0}, config: defaultConfig(),
		keys: map[string]setting{}, seen: map[string]int{}, shown: map[string]string{},
		values: map[string][2]int{}, headers: map[string]int{},
	}
	for at, b := range r.text {
		if b == '\n' && at+1 < len(r.text) {
			r.lines = append(r.lines, at+1)
		}
	}
	for _, s := range settingsOf(&r.config) {
		r.keys[s.name()] = s
		r.names = append(r.names, s.name())
		if !slices.Contains(r.sections, s.section) {
			r.sections = append(r.sections, s.section)
		}
	}
	return r
}

// line is the number of the line that has a byte.
func (r *configReader) line(at int) int {
	return sort.Search(len(r.lines), func(i int) bool { return r.lines[i] > at })
}

func (r *configReader) problemf(at int, key, format string, args ...any) {
	r.problems = append(r.problems, configProblem{Line: r.line(at), Key: key, text: fmt.Sprintf(format, args...)})
}

// refuse tells a value that its key does not take.
func (r *configReader) refuse(line int, s setting, shown string, quotes bool) {
	text := s.name() + " is " + shown
	if shown == "" {
		text = s.name() + " has no value"
	}
	text += "; it takes " + s.takes
	if quotes {
		text += ", in quotes"
	}
	r.problems = append(r.problems, configProblem{Line: line, Key: s.name(), Allowed: s.takes, text: text})
}

// checkBytes finds what no text has.
func (r *configReader) checkBytes() bool {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(r.text, []byte(mark)) {
			r.problemf(0, "", "the file is in UTF-16; save it as UTF-8")
			return false
		}
	}
	if at := bytes.IndexByte(r.text, 0); at >= 0 {
		r.problemf(at, "", "there is a NUL byte, so that the file is damaged, or not in UTF-8")
		return false
	}
	for at := 0; at < len(r.text); {
		char, size := utf8.DecodeRune(r.text[at:])
		if char == utf8.RuneError && size == 1 {
			r.problemf(at, "", "there is a byte that is not UTF-8; save the file as UTF-8")
			return false
		}
		at += size
	}
	return true
}

// readAll goes through the statements, and reports whether all could be read.
func (r *configReader) readAll() bool {
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
func (r *configReader) enough() bool {
	line := r.problems[len(r.problems)-1].Line
	r.problems = append(r.problems, configProblem{Line: line, text: "so much is wrong up to here that the rest was not read"})
	return false
}

// single is a statement that the rest of the text does not depend on, whatever
// is wrong with it: a key and the beginning of nothing that goes on.
var single = regexp.MustCompile(`^[ \t]*([A-Za-z0-9_-]+(?:[ \t]*\.[ \t]*[A-Za-z0-9_-]+)*)[ \t]*=[ \t]*([^\[\]{}]*?)[ \t\r]*$`)

// resume tells a statement that cannot be read, and returns where the next one
// begins, if there is no doubt of that.
func (r *configReader) resume(at int, message string) (next int, ok bool) {
	begin := r.nextStatement()
	line := r.line(begin)
	stop := len(r.text)
	if line < len(r.lines) {
		stop = r.lines[line]
	}
	found := single.FindSubmatch(bytes.TrimSuffix(r.text[begin:stop], []byte("\n")))
	if r.line(at) != line || found == nil || bytes.Contains(found[2], []byte(`"""`)) || bytes.Contains(found[2], []byte("'''")) {
		if at == len(r.text)-1 {
			at = begin // what has no end is looked for at its beginning
		}
		r.problemf(at, "", "from here on the file cannot be read: %s", message)
		return 0, false
	}
	var name []string
	for part := range strings.SplitSeq(string(found[1]), ".") {
		name = append(name, strings.Trim(part, " \t"))
	}
	value, _, _ := strings.Cut(string(found[2]), "#")
	value = strings.TrimRight(value, " \t")
	s, known := r.keys[dotted(slices.Concat(r.table, name))]
	switch {
	case r.inert:
	case known && !strings.ContainsAny(value, `"'`):
		r.seen[s.name()] = line
		r.refuse(line, s, short(value), s.quoted())
	default:
		r.problemf(at, "", "this cannot be read: %s", message)
	}
	return stop, stop < len(r.text)
}

// nextStatement is where the line of the first statement after the last one
// begins.
func (r *configReader) nextStatement() int {
	i := r.line(r.end) - 1
	if r.end > r.lines[i] {
		i++
	}
	for ; i < len(r.lines)-1; i++ {
		line := bytes.TrimLeft(r.text[r.lines[i]:r.lines[i+1]], " \t\r\n")
		if len(line) > 0 && line[0] != '#' {
			break
		}
	}
	return r.lines[min(i, len(r.lines)-1)]
}

// statement reads a header, or a key and its value. base is where the parser
// began.
func (r *configReader) statement(n *unstable.Node, base int) {
	if n.Kind == unstable.KeyValue {
		r.end = base + int(n.Raw.Offset+n.Raw.Length)
		if !r.inert {
			r.keyValue(r.table, n, base)
		}
		return
	}
	name, at, end := path(n, base)
	r.end = end
	r.table, r.inert = name, true
	section := dotted(name)
	_, isKey := r.keys[section]
	switch {
	case isKey:
		r.refuse(r.line(at), r.keys[section], "a section", false)
	case !slices.Contains(r.sections, section):
		r.unknown(at, name, true)
	case n.Kind == unstable.ArrayTable:
		r.problemf(at, section, "[[%s]] is a list of sections; write [%[1]s]", section)
	default:
		r.inert = false
		if first := r.seen[section]; first > 0 {
			r.problemf(at, section, "the section [%s] is there already, on line %d; put their keys together", section, first)
			return
		}
		r.seen[section] = r.line(at)
		r.headers[section] = len(r.text)
		if below := r.line(at); below < len(r.lines) {
			r.headers[section] = r.lines[below]
		}
	}
}

// path is the name that a statement gives, where that begins, and where it ends.
func path(n *unstable.Node, base int) (name []string, begin, end int) {
	begin = -1
	for keys := n.Key(); keys.Next(); {
		part := keys.Node()
		if begin < 0 {
			begin = base + int(part.Raw.Offset)
		}
		end = base + int(part.Raw.Offset+part.Raw.Length)
		name = append(name, string(part.Data))
	}
	return name, begin, end
}

// keyValue reads a key and its value, which may be a section in one line.
func (r *configReader) keyValue(table []string, n *unstable.Node, base int) {
	keys, at, end := path(n, base)
	name := slices.Concat(table, keys)
	whole := dotted(name)
	value := n.Value()
	s, known := r.keys[whole]
	switch {
	case known && r.seen[whole] > 0:
		r.problemf(at, whole, "%s is there already, on line %d; take one of them away", whole, r.seen[whole])
	case known:
		stop := base + int(n.Raw.Offset+n.Raw.Length)
		raw := bytes.TrimLeft(r.text[end:stop], " \t=")
		r.seen[whole], r.shown[whole] = r.line(at), show(value, raw)
		r.values[whole] = [2]int{stop - len(raw), stop}
		if !s.decode(raw) {
			r.refuse(r.line(at), s, r.shown[whole], s.quoted() && value.Kind != unstable.String)
		}
	case !slices.Contains(r.sections, whole):
		r.unknown(at, name, false)
	case value.Kind == unstable.InlineTable:
		for children := value.Children(); children.Next(); {
			if child := children.Node(); child.Kind == unstable.KeyValue {
				r.keyValue(name, child, base)
			}
		}
	default:
		r.problemf(at, whole, "%s is a section; write [%[1]s], and its keys on the lines below", whole)
	}
}

// unknown tells a key or a section that there is not.
func (r *configReader) unknown(at int, name []string, header bool) {
	whole := dotted(name)
	kind, mark, names := "key", "%s", r.names
	if header && len(name) == 1 {
		kind, mark, names = "section", "[%s]", r.sections
	}
	instead := "there are [" + strings.Join(r.sections, "], [") + "]"
	if near := nearest(whole, names); near != "" {
		instead = "did you mean " + fmt.Sprintf(mark, near) + "?"
	} else if slices.Contains(r.sections, name[0]) {
		var keys []string
		for _, n := range r.names {
			if key, ok := strings.CutPrefix(n, name[0]+"."); ok {
				keys = append(keys, key)
			}
		}
		instead = "[" + name[0] + "] has " + strings.Join(keys, ", ")
	}
	r.problemf(at, whole, "there is no %s "+mark+"; %s", kind, short(whole), instead)
}

// checkWhole finds what is wrong between statements and was not seen yet.
func (r *configReader) checkWhole() {
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
	if !slices.ContainsFunc(r.problems, func(p configProblem) bool { return p.Line == line }) {
		r.problemf(r.lines[line-1], "", "this cannot be used: %s", message)
	}
}

// checkValues finds values that are of the right type and not allowed.
func (r *configReader) checkValues() {
	for _, name := range r.config.invalid() {
		r.refuse(r.seen[name], r.keys[name], r.shown[name], false)
	}
}

// show is a value for people.
func show(value *unstable.Node, raw []byte) string {
	switch value.Kind {
	case unstable.String:
		return `"` + short(string(value.Data)) + `"`
	case unstable.Array:
		return "a list"
	case unstable.InlineTable:
		return "a section"
	default:
		return short(string(raw))
	}
}

// short is the beginning of a text that may be long, fit to be shown.
func short(text string) string {
	const most = 40
	text = strings.Map(func(char rune) rune {
		if !strconv.IsPrint(char) { // it may steer the terminal
			return utf8.RuneError
		}
		return char
	}, text)
	if chars := []rune(text); len(chars) > most {
		return string(chars[:most]) + "…"
	}
	return text
}
