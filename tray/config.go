package tray

import (
	"regexp"
	"slices"
	"strings"

	"windsock/usage"
)

// Config is a person's choices about the tray: the section [tray] of the configuration
// file. Its tags are the file's text about a key: its name, its purpose (comment) and
// its values.
type Config struct {
	// Title says whether the percentage stands beside the icon, where the
	// system has room for it.
	Title bool `comment:"Whether to show the percentage beside the icon, if the system has room for it." toml:"title"`
	// Plan is the Name of the plan that leads, as in a [poll.State]; empty for the
	// first with figures.
	Plan string `comment:"The plan that leads: the icon shows it. A click on its heading in the menu sets this." empty:"the first that has figures" takes:"a plan's ID, such as windsurf, antigravity or windsurf:3fa91c" toml:"plan"`
}

// DefaultConfig returns the values of keys that are not in the file.
func DefaultConfig() Config { return Config{Title: true} }

// Invalid returns the keys with invalid values.
func (c Config) Invalid() []string {
	if c.Plan != "" && !isPlanName(c.Plan) {
		return []string{"plan"}
	}
	return nil
}

var accountHash = regexp.MustCompile(`^[0-9a-f]{6}$`)

// isPlanName reports whether a name is a product's, or that of one of its plans.
func isPlanName(name string) bool {
	product, hash, one := strings.Cut(name, ":")
	return slices.Contains(usage.Products(), usage.Product(product)) && (!one || accountHash.MatchString(hash))
}
