package settings

import "strings"

// nearest is the name that another one is most likely meant for, if any.
func nearest(name string, names []string) string {
	if len(name) > 100 {
		return ""
	}
	name = strings.ToLower(name)
	best, least := "", 3 // more than two slips of the pen are another word
	for _, candidate := range names {
		d := distance(name, candidate)
		switch {
		case last(name) == last(candidate):
			d = min(d, 1)
		case last(name) == name: // a key without its section
			if without := distance(name, last(candidate)); 2*without <= len(name) { // the half of a word is another one
				d = min(d, without)
			}
		}
		if d < least {
			best, least = candidate, d
		}
	}
	return best
}

func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// distance is how many letters have to be put in, taken out or changed
// (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
