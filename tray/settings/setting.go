package settings

import (
	"fmt"
	"reflect"
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

// settingsOf are the keys of a *T in order. What is set on one is set in the T.
func settingsOf(c any) []setting {
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

func find(all []setting, name string) (setting, bool) {
	i := slices.IndexFunc(all, func(s setting) bool { return s.name() == name })
	if i < 0 {
		return setting{}, false
	}
	return all[i], true
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
