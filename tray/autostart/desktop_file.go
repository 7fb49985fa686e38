package autostart

import (
	"slices"
	"strings"
)

// desktopFile is a desktop entry as it stands in its file, line by line: what is
// not changed stays as it was, comments and other groups too.
type desktopFile struct{ lines []string }

// mainGroup is the group that describes the program itself.
const mainGroup = "[Desktop Entry]"

func parseDesktopFile(content []byte) *desktopFile {
	return &desktopFile{strings.Split(string(content), "\n")}
}

func (d *desktopFile) bytes() []byte { return []byte(strings.Join(d.lines, "\n")) }

// each calls f with the number and the trimmed text of every line of the main group, its
// header too, and stops when f returns false.
func (d *desktopFile) each(f func(i int, line string) bool) {
	inside := false
	for i, line := range d.lines {
		line = trim(line)
		if strings.HasPrefix(line, "[") {
			inside = line == mainGroup
		}
		if inside && !f(i, line) {
			return
		}
	}
}

// pair splits a line into key and value. Blank lines, comments and headers are none.
func pair(line string) (key, value string, ok bool) {
	if line == "" || line[0] == '#' || line[0] == '[' {
		return "", "", false
	}
	key, value, ok = strings.Cut(line, "=")
	return trim(key), trim(value), ok
}

// trim takes away the white space that is none of the text; strings.TrimSpace would
// take some that a path may end in.
func trim(s string) string { return strings.Trim(s, " \t\r") }

// isEntry tells whether there is a main group.
func (d *desktopFile) isEntry() bool {
	found := false
	d.each(func(int, string) bool { found = true; return false })
	return found
}

// value returns the value of a key, with its escapes. Of several the last counts,
// as in GLib.
func (d *desktopFile) value(key string) (value string, ok bool) {
	d.each(func(_ int, line string) bool {
		if k, v, isPair := pair(line); isPair && k == key {
			value, ok = v, true
		}
		return true
	})
	return value, ok
}

// is tells whether a boolean key has that value. Desktops read 1 and 0 too, which
// the specification once allowed.
func (d *desktopFile) is(key string, want bool) bool {
	value, _ := d.value(key)
	if want {
		return value == "true" || value == "1"
	}
	return value == "false" || value == "0"
}

// set gives a key a value, which has its escapes already: in the place of the old
// one, or at the end of the main group.
func (d *desktopFile) set(key, value string) {
	at, last := -1, -1
	var again []int
	ended := false
	d.each(func(i int, line string) bool {
		if last >= 0 && line == mainGroup {
			ended = true // a second main group; new keys go into the first
		}
		if line != "" && !ended {
			last = i
		}
		if k, _, isPair := pair(line); isPair && k == key {
			if at < 0 {
				at = i
			} else {
				again = append(again, i)
			}
		}
		return true
	})
	line := key + "=" + value
	if at >= 0 {
		d.lines[at] = line
		for _, i := range slices.Backward(again) {
			d.lines = slices.Delete(d.lines, i, i+1)
		}
		return
	}
	d.lines = slices.Insert(d.lines, last+1, line)
}

// remove takes a key out.
func (d *desktopFile) remove(key string) {
	var at []int
	d.each(func(i int, line string) bool {
		if k, _, isPair := pair(line); isPair && k == key {
			at = append(at, i)
		}
		return true
	})
	for _, i := range slices.Backward(at) {
		d.lines = slices.Delete(d.lines, i, i+1)
	}
}

var (
	escaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`)
	// A pair that is not in the list stays as it is.
	unescaper = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\s`, " ")
)

// escapeString writes a value of type string.
func escapeString(s string) string {
	s = escaper.Replace(s)
	if text := strings.TrimLeft(s, " "); text != s {
		s = strings.Repeat(`\s`, len(s)-len(text)) + text
	}
	if text := strings.TrimRight(s, " "); text != s {
		s = text + strings.Repeat(`\s`, len(s)-len(text))
	}
	return s
}

func unescapeString(s string) string { return unescaper.Replace(s) }

// splitList reads a value of type string(s).
func splitList(value string) []string {
	var list []string
	var item strings.Builder
	for i := 0; i < len(value); i++ {
		switch {
		case value[i] == '\\' && i+1 < len(value):
			i++
			if value[i] != ';' {
				item.WriteByte('\\')
			}
			item.WriteByte(value[i])
		case value[i] == ';':
			list = append(list, unescapeString(item.String()))
			item.Reset()
		default:
			item.WriteByte(value[i])
		}
	}
	if item.Len() > 0 {
		list = append(list, unescapeString(item.String()))
	}
	return list
}

// joinList writes a value of type string(s).
func joinList(list []string) string {
	var b strings.Builder
	for _, item := range list {
		b.WriteString(strings.ReplaceAll(escapeString(item), ";", `\;`) + ";")
	}
	return b.String()
}
