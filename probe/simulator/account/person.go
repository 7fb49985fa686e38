package account

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// A Person is the first name of an account's owner, in lower case. Another Person is
// another account; the zero Person is Robin.
type Person string

// Name is the full name.
func (p Person) Name() string {
	if p == "" {
		return "Robin Example"
	}
	return strings.ToUpper(string(p[:1])) + string(p[1:]) + " Example"
}

// Email is the address.
func (p Person) Email() string {
	if p == "" {
		p = "robin"
	}
	return string(p) + "@example.com"
}

// ID is Windsurf's identifier of the user.
func (p Person) ID() string {
	if p == "" || p == "robin" {
		return "user-00112233445566778899aabbccddeeff"
	}
	hash := fnv.New128a()
	_, _ = hash.Write([]byte(p)) // never fails
	return fmt.Sprintf("user-%x", hash.Sum(nil))
}

// Seed makes what is theirs different from others'; it is 0 for the zero Person.
func (p Person) Seed() uint64 {
	if p == "" || p == "robin" {
		return 0
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(p)) // never fails
	return hash.Sum64()
}
