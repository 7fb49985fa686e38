package cloud

// Wording is what a person has to know before they allow a source: paragraphs of plain
// text. host may be "".
func (s Source) Wording(host string) []string { return nil }

// Config is the section [cloud] of the settings.
type Config struct {
	Allow []string `comment:"What Windsock may ask over the internet, each as NAME@HOST. Use the command windsock cloud, which says what it means." empty:"nothing" takes:"names of sign-ins with their hosts, such as cursor@api2.cursor.sh" toml:"allow"`
}

// DefaultConfig returns the values of keys that are not in the file.
func DefaultConfig() Config { return Config{} }

// Invalid returns the keys with invalid values.
func (c Config) Invalid() []string { return nil }

// Allowed is the host that a source may be asked at; false if it may not be asked.
func (c Config) Allowed(name string) (host string, ok bool) { return "", false }

// With returns the config that allows a source at a host, and at no other; Without one
// that does not allow it.
func (c Config) With(name, host string) Config { return c }

// Without returns the config that does not allow a source.
func (c Config) Without(name string) Config { return c }
