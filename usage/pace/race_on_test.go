//go:build race

package pace_test

const race = true
