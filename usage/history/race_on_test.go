//go:build race

package history

const race = true
