package usage

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"strings"
)

// Account tells one person's figures from another's, and nothing else: what it
// is made of never leaves it.
type Account struct{ id string }

// NewAccount is the account that the parts tell from all others.
func NewAccount(parts ...string) Account { return Account{strings.Join(parts, "\x00")} }

// Hash is the account under a salt that every installation makes for itself, so
// that nobody can look it up; "" when the answer did not say whose it is.
func (a Account) Hash(salt []byte) string {
	if a.id == "" {
		return ""
	}
	mac := hmac.New(sha256.New, salt)
	_, _ = mac.Write([]byte(a.id)) // a hash takes everything
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Known reports whether the answer said whose it is.
func (a Account) Known() bool { return a.id != "" }

// Equal reports whether both are the same, or both are unknown.
func (a Account) Equal(b Account) bool { return a == b }

// String hides who it is.
func (a Account) String() string {
	if a.id == "" {
		return "account unknown"
	}
	return "account [redacted]"
}

// GoString hides who it is.
func (a Account) GoString() string { return a.String() }

// LogValue hides who it is.
func (a Account) LogValue() slog.Value { return slog.StringValue(a.String()) }

// Product is what plans are of.
type Product string

// Windsurf is the family of editors, with Devin Desktop.
const Windsurf Product = "windsurf"

// Plan tells what one account has of one product from every other plan. Plans can be
// compared.
type Plan struct {
	Product Product
	Account Account
}

// Key is what a plan is kept under, with the salt of [Account.Hash]. That of Windsurf
// is the hash alone: at first there were no others.
func (p Plan) Key(salt []byte) string {
	hash := p.Account.Hash(salt)
	if p.Product == Windsurf || p.Product == "" {
		return hash
	}
	return string(p.Product) + ":" + hash
}
