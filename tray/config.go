package tray

// Config is a person's choices about the tray: the section [tray] of the configuration
// file. Its tags are the file's text about a key: its name, its purpose (comment) and
// its values.
type Config struct {
	// Title says whether the percentage stands beside the icon, where the
	// system has room for it.
	Title bool `comment:"Whether the percentage stands beside the icon, where the system has room for it." toml:"title"`
}

// DefaultConfig returns the values of keys that are not in the file.
func DefaultConfig() Config { return Config{Title: true} }
