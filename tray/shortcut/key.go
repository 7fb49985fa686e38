package shortcut

import (
	"slices"
	"strconv"
	"strings"
)

// modifier is a key that is held with another one.
type modifier uint8

const (
	ctrl modifier = 1 << iota
	alt
	shift
	super
)

// modifiers are the names in the settings. Another system's name for the same key is good
// as well.
var modifiers = []struct {
	name  string
	value modifier
}{
	{"Ctrl", ctrl},
	{"Alt", alt},
	{"Shift", shift},
	{"Super", super},
	{"Control", ctrl},
	{"Option", alt},
	{"Win", super},
	{"Meta", super},
	{"Cmd", super},
}

// key is a key with its modifiers. Its name is a letter, a digit, F1 to F24, or Space.
type key struct {
	held modifier
	name string
}

// parse reads a key such as Ctrl+Alt+W. A letter, a digit or a space alone, or with Shift,
// is none: nobody could write it any more.
func parse(text string) (key, bool) {
	parts := strings.Split(text, "+")
	last := len(parts) - 1
	k := key{name: strings.TrimSpace(parts[last])}
	for _, part := range parts[:last] {
		i := slices.IndexFunc(modifiers, func(m struct {
			name  string
			value modifier
		},
		) bool {
			return strings.EqualFold(m.name, strings.TrimSpace(part))
		})
		if i < 0 || k.held&modifiers[i].value != 0 {
			return key{}, false
		}
		k.held |= modifiers[i].value
	}
	k.name = strings.ToUpper(k.name)
	if k.name == "SPACE" {
		k.name = "Space"
	}
	if k.function() > 0 {
		return k, true
	}
	written := k.name == "Space" || len(k.name) == 1 && (k.name >= "0" && k.name <= "9" || k.name >= "A" && k.name <= "Z")
	return k, written && k.held&^shift != 0
}

// String is the key as people write it.
func (k key) String() string {
	var parts []string
	for _, m := range modifiers[:4] {
		if k.held&m.value != 0 {
			parts = append(parts, m.name)
		}
	}
	return strings.Join(append(parts, k.name), "+")
}

// function is the number of a function key; 0 for another key.
func (k key) function() int {
	number, isFunction := strings.CutPrefix(k.name, "F")
	n, err := strconv.Atoi(number)
	if !isFunction || err != nil || n < 1 || n > 24 || number != strconv.Itoa(n) {
		return 0
	}
	return n
}
