package tray

// Config is what a person may choose about the tray: the section [tray] of the
// configuration file. Its tags are what that file says of a key: its name, what
// it is for (comment) and which values it takes.
type Config struct {
	// Title says whether the percentage stands beside the icon, where the
	// system has room for it.
	Title bool `comment:"Whether the percentage stands beside the icon, where the system has room for it." toml:"title"`
}

// DefaultConfig is what holds for a key that is not in the file.
func DefaultConfig() Config { return Config{Title: true} }
