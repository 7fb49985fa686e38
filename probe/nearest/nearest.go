// Package nearest finds the names that a mistyped name may stand for.
package nearest

import (
	"cmp"
	"strings"

	"windsock/probe/sorted"
)

// Of returns the names that a mistyped one most likely stands for, the nearest first:
// those that begin with it or differ by one or two slips.
func Of(name string, names []string) []string {
	var near []string
	for _, other := range names {
		if Like(name, other) {
			near = append(near, other)
		}
	}
	sorted.By(near, func(a, b string) int { return cmp.Compare(Distance(name, a), Distance(name, b)) })
	return near
}

// Like reports whether name, ignoring case, begins other or differs from it by at most
// two slips and half of its letters.
func Like(name, other string) bool {
	name, other = strings.ToLower(name), strings.ToLower(other)
	return name != "" && (strings.HasPrefix(other, name) || Distance(name, other) <= min(2, len(name)/2))
}

// maxName is longer than any name.
const maxName = 100

// Distance is the number of bytes to insert, delete or change to turn one name into the
// other (Levenshtein). Names above maxName are not compared and count as all different.
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
