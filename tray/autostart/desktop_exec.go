package autostart

import (
	"errors"
	"strings"
)

// reserved are the characters that an argument in Exec may hold only when it is
// quoted (Desktop Entry Specification, The Exec key).
const reserved = " \t\n\"'\\><~|&;$*?#()`"

// escapedInQuotes are those before which a backslash stands in a quoted argument.
const escapedInQuotes = "\"`$\\"

// quoteExec writes the value of Exec. Two layers of escapes lie over each other: that
// of the arguments, where a percent sign is doubled too, and that of every string.
func quoteExec(words []string) (string, error) {
	if !isText(words) {
		return "", unwritable("it is not plain text")
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quoteArgument(word)
	}
	return escapeString(strings.Join(quoted, " ")), nil
}

func quoteArgument(word string) string {
	quote := word == "" || strings.ContainsAny(word, reserved)
	var b strings.Builder
	if quote {
		b.WriteByte('"')
	}
	for i := range len(word) {
		switch {
		case word[i] == '%':
			b.WriteByte('%')
		case quote && strings.IndexByte(escapedInQuotes, word[i]) >= 0:
			b.WriteByte('\\')
		}
		b.WriteByte(word[i])
	}
	if quote {
		b.WriteByte('"')
	}
	return b.String()
}

var (
	errUnclosed  = errors.New("a quote is not closed")
	errFieldCode = errors.New("unknown field code")
)

// splitExec reads the value of Exec as it is run at login, without files to open.
// Beyond the specification it reads quotes and backslashes as a shell does, because
// desktops do so too and people write them.
func splitExec(value string) ([]string, error) {
	var words []string
	s := unescapeString(value)
	for {
		s = strings.TrimLeft(s, " \t\n")
		if s == "" {
			return words, nil
		}
		raw, rest, err := nextArgument(s)
		if err != nil {
			return nil, err
		}
		word, err := expandFields(raw)
		if err != nil {
			return nil, err
		}
		if word != "" || raw == "" { // a field code alone stands for no argument
			words = append(words, word)
		}
		s = rest
	}
}

// nextArgument cuts off the first argument and takes its quotes away.
func nextArgument(s string) (word, rest string, err error) {
	var b strings.Builder
	var quote byte // 0 outside of quotes
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == 0 && strings.IndexByte(" \t\n", c) >= 0:
			return b.String(), s[i:], nil
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(s) &&
			(quote == 0 || strings.IndexByte(escapedInQuotes, s[i+1]) >= 0):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	if quote != 0 {
		return "", "", errUnclosed
	}
	return b.String(), "", nil
}

// expandFields replaces the field codes of one argument. Those of files and names
// give way to nothing: at login there are no files, and no executable of ours is
// found in the others.
func expandFields(word string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		if word[i] != '%' {
			b.WriteByte(word[i])
			continue
		}
		i++
		switch {
		case i < len(word) && word[i] == '%':
			b.WriteByte('%')
		case i == len(word) || strings.IndexByte("fFuUickdDnNvm", word[i]) < 0:
			return "", errFieldCode
		}
	}
	return b.String(), nil
}
