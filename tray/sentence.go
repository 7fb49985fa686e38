package tray

import "errors"

// Sentence is what an error says to people, by a method of that name of its own or
// of one that it wraps; otherwise where there is none.
func Sentence(err error, otherwise string) string {
	if spoken, ok := errors.AsType[interface {
		error
		Sentence() string
	}](err); ok {
		return spoken.Sentence()
	}
	return otherwise
}
