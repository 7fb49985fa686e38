package cloud

import "strings"

// Config is the section [cloud] of the settings.
type Config struct {
	Allow []string `comment:"What Windsock may ask over the internet, each as NAME@HOST. Use the command windsock cloud, which says what it means." empty:"nothing" form:"none" takes:"names of sign-ins with their hosts, such as cursor@api2.cursor.sh" toml:"allow"`
}

// DefaultConfig returns the values of keys that are not in the file: nothing is allowed.
func DefaultConfig() Config { return Config{Allow: []string{}} }

// Invalid returns the keys with invalid values. A sign-in that stands there twice is one:
// nobody could say which host is meant.
func (c Config) Invalid() []string {
	seen := map[string]bool{}
	for _, entry := range c.Allow {
		name, _, ok := parse(entry)
		if !ok || seen[name] {
			return []string{"allow"}
		}
		seen[name] = true
	}
	return nil
}

// cursor is the name of the sign-in that is used at Cursor's host, and at no other, and
// of its product.
const cursor = "cursor"

// parse reads NAME@HOST.
func parse(entry string) (name, host string, ok bool) {
	name, host, _ = strings.Cut(entry, "@")
	word := name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
	return name, host, word && isHost(host) && (name == cursor) == (host == hostCursor)
}

// Allowed is the host that a source may be asked at; false if it may not be asked.
func (c Config) Allowed(name string) (host string, ok bool) {
	if c.Invalid() != nil {
		return "", false
	}
	for _, entry := range c.Allow {
		if n, h, _ := parse(entry); n == name {
			return h, true
		}
	}
	return "", false
}

// With returns the config that allows a source at a host, and at no other. Capitals in
// host mean nothing.
func (c Config) With(name, host string) Config {
	c = c.Without(name)
	c.Allow = append(c.Allow, name+"@"+strings.ToLower(host))
	return c
}

// Without returns the config that does not allow a source. The receiver's list stays as
// it is.
func (c Config) Without(name string) Config {
	allow := []string{}
	for _, entry := range c.Allow {
		if n, _, _ := strings.Cut(entry, "@"); n != name {
			allow = append(allow, entry)
		}
	}
	c.Allow = allow
	return c
}
