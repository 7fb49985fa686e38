package settings

import (
	"strings"

	"windsock/probe/nearest"
)

// nearestKey is the name that another one most probably means, if any.
func nearestKey(name string, names []string) string {
	name = strings.ToLower(name)
	best, least := "", 3 // more than two typos make another word
	for _, candidate := range names {
		d := nearest.Distance(name, candidate)
		switch {
		case last(name) == last(candidate):
			d = min(d, 1)
		case last(name) == name: // a key without its section
			if without := nearest.Distance(name, last(candidate)); 2*without <= len(name) { // a change of half the word makes another one
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
