package app

import (
	"log/slog"
	"reflect"

	"windsock/chat"
	"windsock/chat/openai"
	"windsock/probe"
	"windsock/tray"
	"windsock/tray/settings"
	"windsock/usage/alert"
	"windsock/usage/status"
)

// config is all settings, in one TOML file. Each section belongs to a package; its
// fields' tags say all that the file says of a key. A new key is a field, its default,
// and its check in the section's Invalid where its type does not say all. Keys hold
// values or lists of them, and no tables.
type config struct {
	Usage  status.Config `toml:"usage"`
	Tray   tray.Config   `toml:"tray"`
	Alerts alert.Config  `toml:"alerts"`
	Chat   chat.Config   `toml:"chat"`
	API    openai.Config `toml:"api"`
	Log    logConfig     `toml:"log"`
}

// defaultConfig is what holds without a file.
func defaultConfig() config {
	return config{
		Usage:  status.DefaultConfig(),
		Tray:   tray.DefaultConfig(),
		Alerts: alert.DefaultConfig(),
		Chat:   chat.DefaultConfig(),
		API:    openai.DefaultConfig(),
		Log:    logConfig{Level: "info"},
	}
}

// invalid are the names of the keys whose value they do not take, such as
// usage.interval.
func (c config) invalid() []string {
	var keys []string
	for field, section := range reflect.ValueOf(c).Fields() {
		if checked, ok := reflect.TypeAssert[interface{ Invalid() []string }](section); ok {
			for _, key := range checked.Invalid() {
				keys = append(keys, field.Tag.Get("toml")+"."+key)
			}
		}
	}
	if id := c.Usage.Variant; id != "" {
		// A file has the name in full, as status --json does.
		if v, ok := probe.LookupVariant(id); !ok || v.ID != id {
			keys = append(keys, "usage.variant")
		}
	}
	return keys
}

// logConfig is the section [log].
type logConfig struct {
	Level string `choices:"debug,info,warn,error" comment:"How much the log tells." toml:"level"`
}

// Invalid are the keys that do not take their value.
func (c logConfig) Invalid() []string {
	if _, ok := logLevels[c.Level]; !ok {
		return []string{"level"}
	}
	return nil
}

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// slogLevel is the level for log/slog; of one that is not valid, info.
func (c logConfig) slogLevel() slog.Level { return logLevels[c.Level] }

// configAt is a file in a place of its own.
func configAt(path string) settings.File[config] {
	return settings.File[config]{Path: path, Defaults: defaultConfig, Invalid: config.invalid}
}
