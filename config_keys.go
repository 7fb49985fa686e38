package main

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// setting is one key of the file.
type setting struct {
	section, key   string
	comment, takes string
	value          reflect.Value
}

func (s setting) name() string { return s.section + "." + s.key }

// quoted reports whether the file has the value in quotes.
func (s setting) quoted() bool {
	return s.value.Kind() == reflect.String || s.value.Type() == reflect.TypeFor[time.Duration]()
}

// settingsOf are the keys of c in order. What is set on one is set in c.
func settingsOf(c *config) []setting {
	var all []setting
	for section, value := range reflect.ValueOf(c).Elem().Fields() {
		for key, value := range value.Fields() {
			all = append(all, setting{
				section: section.Tag.Get("toml"), key: key.Tag.Get("toml"),
				comment: key.Tag.Get("comment"), takes: key.Tag.Get("takes"), value: value,
			})
		}
	}
	return all
}

// decode sets the value that raw is in TOML, and reports whether it could.
func (s setting) decode(raw []byte) bool {
	line := slices.Concat([]byte("value = "), raw)
	if s.value.Type() == reflect.TypeFor[time.Duration]() {
		var in struct{ Value string }
		if err := toml.Unmarshal(line, &in); err != nil {
			return false
		}
		d, err := time.ParseDuration(in.Value)
		if err != nil {
			return false
		}
		s.value.SetInt(int64(d))
		return true
	}
	in := reflect.New(reflect.MapOf(reflect.TypeFor[string](), s.value.Type()))
	if err := toml.Unmarshal(line, in.Interface()); err != nil {
		return false
	}
	s.value.Set(in.Elem().MapIndex(reflect.ValueOf("value")))
	return true
}

// inTOML is the value as it stands in a file.
func (s setting) inTOML() (string, error) {
	switch value := s.value.Interface().(type) {
	case time.Duration:
		return strconv.Quote(durationText(value)), nil
	case string:
		return strconv.Quote(value), nil
	default:
		line, err := toml.Marshal(map[string]any{"value": value})
		if err != nil {
			return "", fmt.Errorf("write %s: %w", s.name(), err)
		}
		return strings.TrimSpace(strings.TrimPrefix(string(line), "value = ")), nil
	}
}

// durationText is a time without the units that are zero.
func durationText(d time.Duration) string {
	text := d.String() // such as 1h0m0s
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// configText is a file with every key commented out.
func configText() (string, error) {
	var text strings.Builder
	text.WriteString(`# Windsock's configuration. Every key is here with its default, behind a #;
# take that away to change the value. "windsock config --check" looks it over.
`)
	section := ""
	defaults := defaultConfig()
	for _, s := range settingsOf(&defaults) {
		if s.section != section {
			section = s.section
			text.WriteString("\n[" + section + "]\n")
		}
		value, err := s.inTOML()
		if err != nil {
			return "", err
		}
		text.WriteString("# " + s.comment + "\n# It takes " + s.takes + ".\n#" + s.key + " = " + value + "\n")
	}
	return text.String(), nil
}

// dotted is a name as it stands in a file.
func dotted(name []string) string {
	parts := make([]string, len(name))
	for i, part := range name {
		parts[i] = part
		if !bare.MatchString(part) {
			parts[i] = strconv.Quote(part)
		}
	}
	return strings.Join(parts, ".")
}

var bare = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// nearest is the name that another one is most likely meant for, if any.
func nearest(name string, names []string) string {
	if len(name) > 100 {
		return ""
	}
	name = strings.ToLower(name)
	best, least := "", 3 // more than two slips of the pen are another word
	for _, candidate := range names {
		d := distance(name, candidate)
		if last(name) == last(candidate) {
			d = min(d, 1)
		}
		if d < least {
			best, least = candidate, d
		}
	}
	return best
}

func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// distance is how many letters have to be put in, taken out or changed
// (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
