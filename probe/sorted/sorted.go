// Package sorted sorts as slices.SortStableFunc does, in a program that is small: slices
// is compiled anew, into 10 to 20 kB, for each type whose values it sorts. It knows
// nothing of the project.
package sorted

import "sort"

// By sorts all in place by compare; equal ones keep their order.
func By[T any](all []T, compare func(a, b T) int) {
	sort.SliceStable(all, func(i, j int) bool { return compare(all[i], all[j]) < 0 })
}
