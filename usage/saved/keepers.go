package saved

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"windsock/usage"
	"windsock/usage/field"
)

// Within keeps an object's own fields.
func Within(known Fields) Keeper {
	return func(s *Saver, v gjson.Result) {
		if !v.IsObject() {
			s.StandIn(v)
			return
		}
		s.object(v, known)
	}
}

// unreadable is a number that cannot be read as a figure.
const unreadable = "1e999"

// Number keeps a figure that can be read at a scale, in its original form.
func Number(scale int64) Keeper {
	return func(s *Saver, v gjson.Result) {
		_, ok := field.ParseNumber(field.NumberText(v), scale)
		switch {
		case ok && v.Type == gjson.String:
			s.Text(v.Str)
		case ok:
			s.out = append(s.out, v.Raw...)
		case v.Type == gjson.Number:
			s.out = append(s.out, unreadable...)
		default:
			s.StandIn(v)
		}
	}
}

// Boolean keeps a boolean, also one in a string.
func Boolean(s *Saver, v gjson.Result) {
	if v.Type == gjson.String && (v.Str == "true" || v.Str == "false") {
		s.Text(v.Str)
		return
	}
	s.StandIn(v)
}

// Date keeps a time in RFC 3339.
func Date(s *Saver, v gjson.Result) {
	if text := dateText(v.Str); v.Type == gjson.String && text != "" {
		s.Text(text)
		return
	}
	s.StandIn(v)
}

// dateText is a time in UTC with at most nine digits of a second, "" for anything else:
// a zone reveals where a person is, and more digits could hide anything.
func dateText(text string) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return ""
	}
	text = t.UTC().Format(time.RFC3339Nano)
	if again, err := time.Parse(time.RFC3339, text); err != nil || !again.Equal(t) {
		return "" // before the year 0 or after 9999
	}
	return text
}

// Enum keeps a number, or a word that Decode reads, with or without the prefix.
func Enum(prefix string, words ...string) Keeper {
	return func(s *Saver, v gjson.Result) {
		if n, ok := field.ParseNumber(field.NumberText(v), 1); ok {
			if n < 0 || n >= int64(len(words)) {
				n = 0 // which is just as unknown
			}
			if v.Type == gjson.String {
				s.Text(strconv.FormatInt(n, 10))
			} else {
				s.out = strconv.AppendInt(s.out, n, 10)
			}
			return
		}
		word, prefixed := strings.CutPrefix(strings.ToLower(v.Str), strings.ToLower(prefix))
		if v.Type != gjson.String || word == "" || !slices.Contains(words, word) {
			s.StandIn(v)
			return
		}
		if prefixed {
			word = prefix + strings.ToUpper(word)
		}
		s.Text(word)
	}
}

// RemovedName replaces a name that may be somebody's own.
const RemovedName = "(name removed)"

// Name keeps these names, which are public.
func Name(public ...string) Keeper {
	return func(s *Saver, v gjson.Result) {
		if v.Type != gjson.String {
			s.StandIn(v)
			return
		}
		name := usage.CleanName(v.Str)
		if name != "" && !slices.Contains(public, name) {
			name = RemovedName
		}
		s.Text(name)
	}
}

// Each keeps the elements of a list.
func Each(keep Keeper) Keeper {
	return func(s *Saver, v gjson.Result) {
		if !v.IsArray() {
			s.StandIn(v)
			return
		}
		s.out = append(s.out, '[')
		v.ForEach(func(_, element gjson.Result) bool {
			keep(s, element)
			s.out = append(s.out, ',')
			return true
		})
		s.out = append(bytes.TrimSuffix(s.out, []byte(",")), ']')
	}
}

// Like matches texts of a form, a regular expression. It is compiled at its first use:
// hardly any run of the program saves something, and each would wait for it.
func Like(form string) func(text string) bool {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(form) })
	return func(text string) bool { return compiled().MatchString(text) }
}

// Keyed keeps the values of an object whose names are data. A name that is not like
// those becomes "removed".
func Keyed(like func(name string) bool, keep Keeper) Keeper {
	return func(s *Saver, v gjson.Result) {
		if !v.IsObject() {
			s.StandIn(v)
			return
		}
		s.out = append(s.out, '{')
		v.ForEach(func(key, value gjson.Result) bool {
			name := "removed"
			if like(key.Str) {
				name = key.Str
			}
			s.name(name)
			keep(s, value)
			s.out = append(s.out, ',')
			return true
		})
		s.out = append(bytes.TrimSuffix(s.out, []byte(",")), '}')
	}
}
