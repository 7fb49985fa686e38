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
	return func(s *saver, v gjson.Result) {
		if !v.IsObject() {
			s.standIn(v)
			return
		}
		s.object(v, known)
	}
}

// unreadable is a number that cannot be read as a figure.
const unreadable = "1e999"

// number keeps a figure that can be read at a scale, in its original form.
func number(scale int64) keeper {
	return func(s *saver, v gjson.Result) {
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

// boolean keeps a boolean, also one in a string.
func boolean(s *saver, v gjson.Result) {
	if v.Type == gjson.String && (v.Str == "true" || v.Str == "false") {
		s.text(v.Str)
		return
	}
	s.standIn(v)
}

// date keeps a time in RFC 3339.
func date(s *saver, v gjson.Result) {
	if text := dateText(v.Str); v.Type == gjson.String && text != "" {
		s.text(text)
		return
	}
	s.standIn(v)
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

// enum keeps a number, or a word that Decode reads, with or without the prefix.
func enum(prefix string, words ...string) keeper {
	return func(s *saver, v gjson.Result) {
		if n, ok := parseNumber(numberText(v), 1); ok {
			if n < 0 || n >= int64(len(words)) {
				n = 0 // which is just as unknown
			}
			if v.Type == gjson.String {
				s.text(strconv.FormatInt(n, 10))
			} else {
				s.out = strconv.AppendInt(s.out, n, 10)
			}
			return
		}
		word, prefixed := strings.CutPrefix(strings.ToLower(v.Str), strings.ToLower(prefix))
		if v.Type != gjson.String || word == "" || !slices.Contains(words, word) {
			s.standIn(v)
			return
		}
		if prefixed {
			word = prefix + strings.ToUpper(word)
		}
		s.text(word)
	}
}

// removedName replaces a plan's name that may be a company's own.
const removedName = "(name removed)"

// planNames are the names of public plans. A company's own plan may carry its name.
var planNames = []string{
	"Free", "Trial", "Pro", "Pro Trial", "Pro Ultimate", "Max", "Ultimate", "Individual", "Student",
	"Teams", "Teams Ultimate", "Enterprise", "Enterprise SaaS", "Enterprise Self-Hosted", "Hybrid",
	"Devin", "Devin Free", "Devin Pro", "Devin Teams", "Devin Enterprise", removedName,
}

// planLabel keeps the name of a public plan.
func planLabel(s *saver, v gjson.Result) {
	if v.Type != gjson.String {
		s.standIn(v)
		return
	}
	name := usage.CleanName(v.Str)
	if name != "" && !slices.Contains(planNames, name) {
		name = removedName
	}
	s.text(name)
}
