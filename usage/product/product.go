// Package product is the table of the products: what the answers of each one mean. All
// above it sees meters only.
package product

import (
	"windsock/usage"
	"windsock/usage/antigravity"
	"windsock/usage/cursor"
	"windsock/usage/windsurf"
)

// row is what one product's package does with its answers.
type row struct {
	decode    func(raw []byte, src usage.Source) (usage.Snapshot, error)
	anonymize func(raw []byte) []byte
	// is recognises the product's answers; nil for the product that stands for the rest.
	is func(raw []byte) bool
}

var table = map[usage.Product]row{
	usage.Windsurf:    {windsurf.Decode, windsurf.Anonymize, nil},
	usage.Antigravity: {antigravity.Decode, antigravity.Anonymize, antigravity.Is},
	usage.Cursor:      {cursor.Decode, cursor.Anonymize, cursor.Is},
}

// Decode makes a snapshot of a product's answer. The snapshot beside an error holds the
// product, the source and the plan's name, as far as they are known. The error is one
// of [usage.NoUsage].
func Decode(p usage.Product, raw []byte, src usage.Source) (usage.Snapshot, error) {
	s, err := table[p].decode(raw, src)
	s.Plan.Product = p
	return s, err
}

// Anonymize removes everything personal from a product's answer.
func Anonymize(p usage.Product, raw []byte) []byte { return table[p].anonymize(raw) }

// Of is the product whose answer raw is; Windsurf when it cannot be told.
func Of(raw []byte) usage.Product {
	for _, p := range usage.Products() {
		if is := table[p].is; is != nil && is(raw) {
			return p
		}
	}
	return usage.Windsurf
}
