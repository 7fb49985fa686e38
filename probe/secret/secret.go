// Package secret keeps an API key or a token from being printed, logged or encoded
// by mistake.
package secret

import (
	"crypto/subtle"
	"fmt"
	"log/slog"
)

// Secret carries an API key or a CSRF token. However it is printed, logged or
// encoded it shows as [redacted], also as an unexported field of a struct that
// is printed with %+v or %#v. The zero Secret holds nothing.
type Secret struct {
	// A pointer, because fmt does not call methods on unexported fields and
	// would print a string that stands in one; of a pointer it prints the address.
	value *string
}

// Redacted is what stands for a secret wherever it would be shown.
const Redacted = "[redacted]"

// New wraps value.
func New(value string) Secret { return Secret{value: &value} }

// Reveal returns the secret itself, to be put into a request and nowhere else.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// Empty reports whether there is nothing to keep secret.
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
