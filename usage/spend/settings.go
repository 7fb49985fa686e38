package spend

// Settings is the section [spend] of the configuration file. The tags describe a key
// there.
type Settings struct {
	// Background is followed by the app alone.
	Background bool `comment:"Whether the app reads once a day, while no turn runs, what cascades have cost. If not, it is read when you look: windsock spend, or the window." toml:"background"`
}

// DefaultSettings has the values of keys that are not in the file.
func DefaultSettings() Settings { return Settings{} }
