package windsurf

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"windsock/usage"
)

// within keeps an object's own fields.
func within(known fields) keeper {
	return func(s *saver, v gjson.Result, path string) {
		if !v.IsObject() {
			s.standIn(v)
			return
		}
		s.object(v, path+".", known)
	}
}

// each keeps what keep does of every element of a list.
func each(keep keeper) keeper {
	return func(s *saver, v gjson.Result, path string) {
		if !v.IsArray() {
			s.standIn(v)
			return
		}
		s.out = append(s.out, '[')
		for i, element := range v.Array() {
			if i > 0 {
				s.out = append(s.out, ',')
			}
			keep(s, element, path+"[]")
		}
		s.out = append(s.out, ']')
	}
}

// unreadable is a number that no figure can be read from.
const unreadable = "1e999"

// number keeps a figure that can be read at a scale, in the form that it has.
func number(scale int64) keeper {
	return func(s *saver, v gjson.Result, _ string) {
		_, ok := parseNumber(numberText(v), scale)
		switch {
		case ok && v.Type == gjson.String:
			s.text(v.Str)
		case ok:
			s.out = append(s.out, v.Raw...)
		case v.Type == gjson.Number:
			s.out = append(s.out, unreadable...)
		default:
			s.standIn(v)
		}
	}
}

// boolean keeps a boolean, be it in a string.
func boolean(s *saver, v gjson.Result, _ string) {
	if v.Type == gjson.String && (v.Str == "true" || v.Str == "false") {
		s.text(v.Str)
		return
	}
	s.standIn(v)
}

// date keeps a time in RFC 3339.
func date(s *saver, v gjson.Result, _ string) {
	if text := dateText(v.Str); v.Type == gjson.String && text != "" {
		s.text(text)
		return
	}
	s.standIn(v)
}

// dateText is a time in UTC, "" for what is none: the zone tells where somebody
// is, and the digits after the ninth of a second could tell anything.
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

// enum keeps a number, a word of those that Decode reads, or a name that begins
// with the prefix and is made of words.
func enum(prefix string, vocabulary map[string]bool, read ...string) keeper {
	return func(s *saver, v gjson.Result, _ string) {
		if n, ok := parseNumber(numberText(v), 1); ok {
			if n < 0 || n > 999 {
				n = 0
			}
			if v.Type == gjson.String {
				s.text(strconv.FormatInt(n, 10))
			} else {
				s.out = strconv.AppendInt(s.out, n, 10)
			}
			return
		}
		word, prefixed := strings.CutPrefix(strings.ToLower(v.Str), strings.ToLower(prefix))
		switch {
		case v.Type == gjson.String && slices.Contains(read, word):
			if prefixed {
				word = prefix + strings.ToUpper(word)
			}
			s.text(word)
		case v.Type == gjson.String && strings.HasPrefix(v.Str, prefix) && madeOf(v.Str, vocabulary):
			s.text(v.Str)
		default:
			s.standIn(v)
		}
	}
}

// removedName stands for the name of a plan that may be somebody's own.
const removedName = "(name removed)"

// planLabel keeps the name of a plan that everybody can have.
func planLabel(s *saver, v gjson.Result, _ string) {
	if v.Type != gjson.String {
		s.standIn(v)
		return
	}
	switch name := usage.CleanName(v.Str); {
	case name == "" || name == removedName || madeOf(strings.ToLower(name), planWords):
		s.text(name)
	default:
		s.text(removedName)
	}
}

// modelConfig keeps a model's entry in the list.
func modelConfig(s *saver, v gjson.Result, path string) {
	s.models++
	s.private = false
	for _, field := range []string{"modelUid", "modelOrAlias.modelUid", "modelOrAlias.model"} {
		s.private = s.private || strings.Contains(strings.ToUpper(v.Get(field).String()), "PRIVATE")
	}
	within(modelFields)(s, v, path)
}

// modelName keeps a name of a public model; others are numbered.
func modelName(otherwise string, private bool) keeper {
	return func(s *saver, v gjson.Result, _ string) {
		switch {
		case v.Type != gjson.String || v.Str == "":
			s.standIn(v)
		case madeOf(strings.ToLower(v.Str), modelWords) && (private || !s.private):
			s.text(v.Str)
		default:
			s.text(otherwise + strconv.Itoa(s.models))
		}
	}
}
