// Package secret keeps an API key or a token from being printed, logged or encoded by
// mistake.
package secret

import (
	"crypto/subtle"
	"fmt"
	"log/slog"
)

// Secret holds an API key or a CSRF token. It prints, logs and encodes as [redacted],
// also as an unexported field of a struct that is printed with %+v or %#v. The zero
// Secret is empty.
type Secret struct {
	// fmt calls no methods on unexported fields: it would print a string field, but
	// prints only the address of a pointer.
	value *string
}

// Redacted is shown in place of every secret.
const Redacted = "[redacted]"

// New wraps value.
func New(value string) Secret { return Secret{value: &value} }

// Reveal returns the secret itself, to be put into a request only.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// Empty reports whether the Secret holds no text.
func (s Secret) Empty() bool { return s.Reveal() == "" }

// Equal reports whether both hold the same text, in constant time.
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// String returns the redacted form.
func (Secret) String() string { return Redacted }

// Format prints the redacted form for every verb and flag.
func (Secret) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(Redacted)) }

// LogValue returns the redacted form for log/slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(Redacted) }

// MarshalText returns the redacted form for JSON and other encoders.
func (Secret) MarshalText() ([]byte, error) { return []byte(Redacted), nil }
