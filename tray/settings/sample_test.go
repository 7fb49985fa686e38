package settings

import (
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// sample is a configuration with a key of each kind.
type sample struct {
	Usage usageSection `toml:"usage"`
	Tray  traySection  `toml:"tray"`
	API   apiSection   `toml:"api"`
	Log   logSection   `toml:"log"`
}

type usageSection struct {
	Interval time.Duration `comment:"How often."   takes:"a time from 1m to 60m, such as 5m" toml:"interval"`
	Editor   string        `choices:"vim,emacs"    comment:"Whom."                           empty:"any of them"                        toml:"editor"`
	Clock    string        `choices:"auto,12h,24h" comment:"How."                            toml:"clock"`
	WorkDays []string      `comment:"When."        empty:"every day"                         takes:"some of mon, tue and sat in a list" toml:"work_days"`
}

type traySection struct {
	Title bool  `comment:"Whether."     toml:"title"`
	Left  []int `comment:"At how much." empty:"none" takes:"a list of whole numbers from 1 to 99" toml:"left"`
}

type apiSection struct {
	Enabled bool `comment:"Whether." toml:"enabled"`
	Port    int  `comment:"Where."   takes:"a number from 1024 to 65535" toml:"port"`
}

type logSection struct {
	Level string `choices:"debug,info,warn,error" comment:"How much." toml:"level"`
}

func sampleDefaults() sample {
	return sample{
		Usage: usageSection{Interval: 5 * time.Minute, Clock: "auto", WorkDays: []string{}},
		Tray:  traySection{Title: true, Left: []int{20, 5}},
		API:   apiSection{Port: 42100},
		Log:   logSection{Level: "info"},
	}
}

func (s sample) invalid() []string {
	var keys []string
	for _, check := range []struct {
		key string
		ok  bool
	}{
		{"usage.interval", s.Usage.Interval >= time.Minute && s.Usage.Interval <= time.Hour},
		{"usage.editor", slices.Contains([]string{"", "vim", "emacs"}, s.Usage.Editor)},
		{"usage.clock", slices.Contains([]string{"auto", "12h", "24h"}, s.Usage.Clock)},
		{"usage.work_days", !slices.ContainsFunc(s.Usage.WorkDays, func(day string) bool { return !slices.Contains([]string{"mon", "tue", "sat"}, day) })},
		{"tray.left", !slices.ContainsFunc(s.Tray.Left, func(n int) bool { return n < 1 || n > 99 })},
		{"api.port", s.API.Port >= 1024 && s.API.Port <= 65535},
		{"log.level", slices.Contains([]string{"debug", "info", "warn", "error"}, s.Log.Level)},
	} {
		if !check.ok {
			keys = append(keys, check.key)
		}
	}
	return keys
}

// at is a sample's file.
func at(path string) File[sample] {
	return File[sample]{Path: path, Defaults: sampleDefaults, Invalid: sample.invalid}
}

// newFile is one that is not there yet, in a directory that is.
func newFile(t *testing.T) File[sample] {
	t.Helper()
	return at(filepath.Join(t.TempDir(), Name))
}

// parse reads a text as a sample.
func parse(text string) (sample, error) { return at("").parse([]byte(text)) }

// template is a sample's file with every key commented out.
func template(tb testing.TB) string {
	tb.Helper()
	text, err := at("").template()
	if err != nil {
		tb.Fatal(err)
	}
	return text
}
