package settings

import (
	"encoding/json"
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
	section, key string
	tag          reflect.StructTag
	value        reflect.Value
}

func (s setting) name() string { return s.section + "." + s.key }

// kind is bool, int, string, duration or list.
func (s setting) kind() string {
	switch {
	case s.value.Type() == reflect.TypeFor[time.Duration]():
		return "duration"
	case s.value.Kind() == reflect.Slice:
		return "list"
	default:
		return s.value.Kind().String()
	}
}

// quoted reports whether the file needs quotes for the value.
func (s setting) quoted() bool { return s.kind() == "string" || s.kind() == "duration" }

// apart reports whether no form has the key.
func (s setting) apart() bool { return s.tag.Get("form") == "none" }

// choices are all valid values, nil if there are others.
func (s setting) choices() []string {
	list := s.tag.Get("choices")
	if list == "" {
		return nil
	}
	all := strings.Split(list, ",")
	if s.tag.Get("empty") != "" {
		all = append(all, "")
	}
	return all
}

// takes names the valid values, without the empty one.
func (s setting) takes() string {
	if s.kind() == "bool" {
		return "true or false"
	}
	if list := s.tag.Get("choices"); list != "" {
		all := strings.Split(list, ",")
		if s.tag.Get("empty") != "" {
			return strings.Join(all, ", ")
		}
		last := len(all) - 1
		return strings.Join(all[:last], ", ") + " or " + all[last]
	}
	return s.tag.Get("takes")
}

// takesInFile names the valid values as in the file.
func (s setting) takesInFile() string {
	empty := s.tag.Get("empty")
	if empty == "" {
		return s.takes()
	}
	none := `""`
	if s.kind() == "list" {
		none = "[]"
	}
	return s.takes() + ", or " + none + " for " + empty
}

// help names the valid values, in a sentence for a page.
func (s setting) help() string {
	text := "It takes " + s.takes()
	if s.kind() == "list" { // which has brackets in the file only
		text = strings.NewReplacer("[", "", "]", "").Replace(text)
	}
	if empty := s.tag.Get("empty"); empty != "" {
		text += "; leave it empty for " + empty
	}
	return text + "."
}

// settingsOf are the keys of a *T in order. To set one changes the T.
func settingsOf(c any) []setting {
	var all []setting
	for section, value := range reflect.ValueOf(c).Elem().Fields() {
		for key, value := range value.Fields() {
			all = append(all, setting{section: section.Tag.Get("toml"), key: key.Tag.Get("toml"), tag: key.Tag, value: value})
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

// take sets a decoded value of TOML or JSON, and reports whether it could.
func (s setting) take(value any) bool {
	text, isText := value.(string)
	if s.kind() == "duration" {
		d, err := time.ParseDuration(strings.TrimSpace(text))
		if isText && err == nil {
			s.value.SetInt(int64(d))
		}
		return isText && err == nil
	}
	switch value.(type) {
	case bool, string, int64, float64, []any:
	default: // such as a date, which is a text in JSON
		return false
	}
	raw, err := json.Marshal(value)
	into := reflect.New(s.value.Type())
	if err != nil || json.Unmarshal(raw, into.Interface()) != nil {
		return false
	}
	s.value.Set(into.Elem())
	return true
}

// inTOML is the value in the file's notation.
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

// durationText words a time without units that are zero.
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
