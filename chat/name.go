package chat

import (
	"slices"
	"strings"
	"unicode"
)

// nameWords takes a model's name apart, in lower case: what is left of it when case,
// punctuation and the writing of versions do not matter. "gpt-5.2:high" has the
// words gpt, 5.2 and high, as has "High GPT_5-2". Versions stay whole, since 4.5
// and 5.4 are two models; a longer number is a date and a word of its own.
func nameWords(name string) []string {
	var found []string
	text := []rune(strings.ToLower(name))
	continued := false // by a number that belongs to the last word's version
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

// oneSpelling writes in one way what is written in several: 4.0 is 4, and X-High, as
// labels have it, is the xhigh of UIDs.
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

// wordSet is words without their order.
func wordSet(list []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

// hasWords tells whether every word is among others.
func hasWords(list, others []string) bool {
	for _, word := range list {
		if !slices.Contains(others, word) {
			return false
		}
	}
	return true
}

// beginsWords tells whether every word is the beginning of one of others. A number is
// not completed: gpt-5 is a model of its own beside gpt-5.2, and not its price.
func beginsWords(list, others []string) bool {
	for _, word := range list {
		if !slices.ContainsFunc(others, func(other string) bool {
			return other == word || !isNumber(word) && strings.HasPrefix(other, word)
		}) {
			return false
		}
	}
	return true
}

// runTogether tells whether the words, written without anything between them,
// are a part of others that begins with a word: opus45 of Claude Opus 4.5.
func runTogether(list, others []string) bool {
	name := squashed(list)
	for i := range others {
		rest, ok := strings.CutPrefix(squashed(others[i:]), name)
		if ok && (rest == "" || !isNumber(rest) || !isNumber(name[len(name)-1:])) {
			return true
		}
	}
	return false
}

func squashed(list []string) string {
	return strings.ReplaceAll(strings.Join(list, ""), ".", "")
}

// likeness is how much of a name is in a model's words, slips of the pen
// included, from 0 to 1.
func likeness(list, others []string) float64 {
	if len(list) == 0 {
		return 0
	}
	sum := 0.0
	for _, word := range list {
		best := 0.0
		for _, other := range others {
			best = max(best, wordLikeness(word, other))
		}
		sum += best
	}
	return sum / float64(len(list))
}

// wordLikeness is the share of neighbouring letters that two words have in common
// (Dice). Versions of one generation are half alike.
func wordLikeness(a, b string) float64 {
	switch {
	case a == b:
		return 1
	case isNumber(a) || isNumber(b):
		majorA, _, _ := strings.Cut(a, ".")
		majorB, _, _ := strings.Cut(b, ".")
		if majorA == majorB {
			return 0.5
		}
		return 0
	}
	pairsA, pairsB := letterPairs(a), letterPairs(b)
	total := len(pairsA) + len(pairsB)
	common := 0
	for _, p := range pairsA {
		if i := slices.Index(pairsB, p); i >= 0 {
			common++
			pairsB[i] = [2]rune{}
		}
	}
	return 2 * float64(common) / float64(total)
}

// letterPairs are the neighbouring letters of a word and its ends.
func letterPairs(word string) [][2]rune {
	all := make([][2]rune, 0, len(word)+1)
	last := ' '
	for _, r := range word + " " {
		all = append(all, [2]rune{last, r})
		last = r
	}
	return all
}
