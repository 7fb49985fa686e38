package usage

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"strings"
)

// Account distinguishes one person's figures from another's. The parts that it is
// made of never leave it.
type Account struct {
	id string
	// hash is all that is known of an account that was kept; "" for another one.
	hash string
}

// NewAccount returns the account that these parts identify.
func NewAccount(parts ...string) Account { return Account{id: strings.Join(parts, "\x00")} }

// KeptAccount returns the account that has this hash, which [Account.Hash] has made with
// the installation's salt. It is not Equal to the one that the hash was made of.
func KeptAccount(hash string) Account { return Account{hash: hash} }

// Hash is the account hashed with the installation's own salt, so that it cannot be
// looked up; "" for an unknown account.
func (a Account) Hash(salt []byte) string {
	if a.id == "" {
		return a.hash
	}
	mac := hmac.New(sha256.New, salt)
	_, _ = mac.Write([]byte(a.id)) // a hash never fails
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Known reports whether the answer names an account.
func (a Account) Known() bool { return a != Account{} }

// Told reports whether an answer has told the account, so that its hash needs a salt.
func (a Account) Told() bool { return a.id != "" }

// Equal reports whether both are the same, or both are unknown.
func (a Account) Equal(b Account) bool { return a == b }

// String hides the account.
func (a Account) String() string {
	if !a.Known() {
		return "account unknown"
	}
	return "account [redacted]"
}

// GoString hides the account.
func (a Account) GoString() string { return a.String() }

// LogValue hides the account.
func (a Account) LogValue() slog.Value { return slog.StringValue(a.String()) }

// Product is what a plan is for.
type Product string

// The products, in the order in which they are shown.
const (
	// Windsurf is the family of editors, with Devin Desktop.
	Windsurf    Product = "windsurf"
	Antigravity Product = "antigravity"
	// Cursor has figures in its maker's cloud alone.
	Cursor Product = "cursor"
)

// Products returns all products, in their order.
func Products() []Product { return []Product{Windsurf, Antigravity, Cursor} }

// Name is the product's name for people.
func (p Product) Name() string {
	switch p {
	case Antigravity:
		return "Antigravity"
	case Cursor:
		return "Cursor"
	default:
		return "Windsurf"
	}
}

// Plan identifies one account's plan for one product. Plans can be compared.
type Plan struct {
	Product Product
	Account Account
}

// Name is the plan's name for programs: the product, and the beginning of the account's
// hash if the account is known, such as windsurf:3fa91c.
func (p Plan) Name(salt []byte) string {
	product, hash := string(cmp.Or(p.Product, Windsurf)), p.Short(salt)
	if hash == "" {
		return product
	}
	return product + ":" + hash
}

// Key is the storage key of a plan, made with the salt of [Account.Hash].
// Windsurf's key is the hash alone: at first there were no other products.
func (p Plan) Key(salt []byte) string {
	hash := p.Account.Hash(salt)
	if p.Product == Windsurf || p.Product == "" {
		return hash
	}
	return string(p.Product) + ":" + hash
}

// ReadKey returns the product of the plan with that key, and what [Plan.Short] is of it.
func ReadKey(key string) (Product, string) {
	plan := KeptPlan(key)
	return plan.Product, plan.Short(nil)
}

// KeptPlan is the plan with that key, with a [KeptAccount].
func KeptPlan(key string) Plan {
	product, hash, named := strings.Cut(key, ":")
	if !named {
		product, hash = string(Windsurf), key
	}
	return Plan{Product(product), KeptAccount(hash)}
}

// shortHash is the length of a short hash, in hex digits.
const shortHash = 6

// Short is the beginning of the hash of a plan's account: six hex digits, "" for an
// unknown account.
func (p Plan) Short(salt []byte) string {
	hash := p.Account.Hash(salt)
	return hash[:min(shortHash, len(hash))]
}
