package settings

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// statement reads a header, or a key and its value. base is where the parser
// began.
func (r *reader) statement(n *unstable.Node, base int) {
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
		r.problemf(at, "[[%s]] is a list of sections; write [%[1]s]", section)
	default:
		r.inert = false
		if first := r.seen[section]; first > 0 {
			r.problemf(at, "the section [%s] is there already, on line %d; put their keys together", section, first)
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
func (r *reader) keyValue(table []string, n *unstable.Node, base int) {
	keys, at, end := path(n, base)
	name := slices.Concat(table, keys)
	whole := dotted(name)
	value := n.Value()
	s, known := r.keys[whole]
	switch {
	case known && r.seen[whole] > 0:
		r.problemf(at, "%s is there already, on line %d; take one of them away", whole, r.seen[whole])
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
		r.problemf(at, "%s is a section; write [%[1]s], and its keys on the lines below", whole)
	}
}

// unknown tells a key or a section that there is not.
func (r *reader) unknown(at int, name []string, header bool) {
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
	r.problemf(at, "there is no %s "+mark+"; %s", kind, short(whole), instead)
}

// dotted is a name as it stands in a file.
func dotted(name []string) string {
	parts := make([]string, len(name))
	for i, part := range name {
		parts[i] = part
		if !bare.MatchString(part) {
			parts[i] = strconv.Quote(part)
		}
	}
	return strings.Join(parts, ".")
}

var bare = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

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
