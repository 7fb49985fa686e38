// Package nearest finds the names that a mistyped one may be meant for.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// Of returns those of names that a mistyped one is most likely meant for, the nearest
// first: such as begin with it, or differ by a slip of the pen or two.
func Of(name string, names []string) []string {
	var near []string
	for _, other := range names {
		if Like(name, other) {
			near = append(near, other)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(Distance(name, a), Distance(name, b)) })
	return near
}

// Like reports whether a name, in any case, is the beginning of another one, or as good
// as the other one. More slips than half of its letters make another word.
func Like(name, other string) bool {
	name, other = strings.ToLower(name), strings.ToLower(other)
	return name != "" && (strings.HasPrefix(other, name) || Distance(name, other) <= min(2, len(name)/2))
}

// maxName is longer than any name.
const maxName = 100

// Distance is how many bytes have to be put in, taken out or changed to make one name
// of another (Levenshtein). Endless ones are not looked at: they are all different.
func Distance(a, b string) int {
	if len(a) > maxName || len(b) > maxName {
		return max(len(a), len(b))
	}
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
