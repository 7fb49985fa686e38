package settings

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// single is a statement that the rest of the text does not depend on, whatever
// is wrong with it: a key and the beginning of nothing that goes on.
var single = regexp.MustCompile(`^[ \t]*([A-Za-z0-9_-]+(?:[ \t]*\.[ \t]*[A-Za-z0-9_-]+)*)[ \t]*=[ \t]*([^\[\]{}]*?)[ \t\r]*$`)

// resume tells a statement that cannot be read, and returns where the next one
// begins, if there is no doubt of that.
func (r *reader) resume(at int, message string) (next int, ok bool) {
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
		r.problemf(at, "from here on the file cannot be read: %s", message)
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
		r.problemf(at, "this cannot be read: %s", message)
	}
	return stop, stop < len(r.text)
}

// nextStatement is where the line of the first statement after the last one
// begins.
func (r *reader) nextStatement() int {
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
