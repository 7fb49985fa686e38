package openai

// Config is what a person may choose about the local API: the section [api] of
// the configuration file.
type Config struct {
	// Enabled says whether the app serves it; `windsock serve` does in any case.
	Enabled bool `comment:"Whether the app serves your plan's models to other programs on this computer." toml:"enabled"`
	// Port is where it is served; any free one where that is taken.
	Port int `comment:"The port on 127.0.0.1; where it is taken, another one is." takes:"a number from 1024 to 65535" toml:"port"`
	// Concurrency is how many answers there may be at once.
	Concurrency int `comment:"How many answers there may be at once." takes:"a number from 1 to 16" toml:"concurrency"`
}

// DefaultConfig is what holds for a key that is not in the file.
func DefaultConfig() Config { return Config{Port: 42100, Concurrency: 2} }

// Invalid are the keys that do not take their value.
func (c Config) Invalid() []string {
	var keys []string
	if c.Port < 1024 || c.Port > 65535 {
		keys = append(keys, "port")
	}
	if c.Concurrency < 1 || c.Concurrency > 16 {
		keys = append(keys, "concurrency")
	}
	return keys
}
