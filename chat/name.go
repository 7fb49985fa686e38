package chat

import (
	"slices"
	"strings"
	"unicode"
)

// nameWords splits a model's name into words, in lower case. Case, punctuation and the
// notation of versions do not matter: "gpt-5.2:high" and "High GPT_5-2" both have the
// words gpt, 5.2 and high. Versions stay whole, since 4.5 and 5.4 are two models; a
// longer number is a date and a separate word.
func nameWords(name string) []string {
	var found []string
	text := []rune(strings.ToLower(name))
	continued := false // by a number of the last word's version
	for i := 0; i < len(text); {
		start := i
		switch {
		case unicode.IsDigit(text[i]):
			for i < len(text) && unicode.IsDigit(text[i]) {
				i++
			}
			version := i-start <= 2
			for i < len(text) && (nameLetter(text[i]) || unicode.IsDigit(text[i])) { // as in 4o and 32k
				i++
				version = false
			}
			word := string(text[start:i])
			if continued && version {
				found[len(found)-1] += "." + word
			} else {
				found = append(found, word)
			}
			continued = version && i+1 < len(text) && strings.ContainsRune(".-_", text[i]) && unicode.IsDigit(text[i+1])
		case nameLetter(text[i]):
			for i < len(text) && nameLetter(text[i]) {
				i++
			}
			found = append(found, string(text[start:i]))
		default:
			i++
		}
	}
	return oneSpelling(found)
}

func nameLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }

// oneSpelling unifies spellings: 4.0 is 4, and the X-High of labels is the xhigh of
// UIDs.
func oneSpelling(found []string) []string {
	for i, word := range found {
		if isNumber(word) {
			found[i] = strings.TrimSuffix(word, ".0")
		}
	}
	for i := 0; i+1 < len(found); i++ {
		if found[i] == "x" && found[i+1] == "high" {
			found[i] = "xhigh"
			found = slices.Delete(found, i+1, i+2)
		}
	}
	return found
}

func isNumber(word string) bool { return word[0] >= '0' && word[0] <= '9' }

// hasWords reports whether list has all of the others.
func hasWords(list, others []string) bool {
	for _, word := range list {
		if !slices.Contains(others, word) {
			return false
		}
	}
	return true
}
