package app

import (
	"log/slog"
	"reflect"

	"windsock/chat"
	"windsock/chat/openai"
	"windsock/probe"
	"windsock/probe/agy"
	"windsock/probe/cloud"
	"windsock/tray"
	"windsock/tray/settings"
	"windsock/tray/shortcut"
	"windsock/usage/alert"
	"windsock/usage/spend"
	"windsock/usage/status"
)

// config has all settings of the one TOML file. Each section belongs to a package; its
// fields' tags contain everything that the file says about a key. A new key needs a
// field, a default, and a check in the section's Invalid unless its type suffices.
// Keys hold values or lists of values, but no tables.
type config struct {
	Usage       status.Config   `toml:"usage"`
	Tray        tray.Config     `toml:"tray"`
	Alerts      alert.Config    `toml:"alerts"`
	Spend       spend.Settings  `toml:"spend"`
	Chat        chat.Config     `toml:"chat"`
	Prompt      shortcut.Config `toml:"prompt"`
	API         openai.Config   `toml:"api"`
	Antigravity agy.Config      `toml:"antigravity"`
	Cloud       cloud.Config    `toml:"cloud"`
	Log         logConfig       `toml:"log"`
}

// defaultConfig has the values without a file.
func defaultConfig() config {
	return config{
		Usage:       status.DefaultConfig(),
		Tray:        tray.DefaultConfig(),
		Alerts:      alert.DefaultConfig(),
		Spend:       spend.DefaultSettings(),
		Chat:        chat.DefaultConfig(),
		Prompt:      shortcut.DefaultConfig(),
		API:         openai.DefaultConfig(),
		Antigravity: agy.DefaultConfig(),
		Cloud:       cloud.DefaultConfig(),
		Log:         logConfig{Level: "info"},
	}
}

// invalid are the names of the keys with invalid values, such as usage.interval.
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
		// The file needs the full name, as status --json writes it.
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

// Invalid returns the keys with invalid values.
func (c logConfig) Invalid() []string {
	if _, ok := logLevels[c.Level]; !ok {
		return []string{"level"}
	}
	return nil
}

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// slogLevel is the level for log/slog; info if it is invalid.
func (c logConfig) slogLevel() slog.Level { return logLevels[c.Level] }

// configAt is a file at another path.
func configAt(path string) settings.File[config] {
	return settings.File[config]{Path: path, Defaults: defaultConfig, Invalid: config.invalid}
}
