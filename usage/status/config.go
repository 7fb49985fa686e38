package status

import (
	"slices"
	"time"

	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// Config is the section [usage] of the configuration file. The tags describe a key
// there: its name, its purpose (comment) and its values. A new field also needs
// DefaultConfig and Invalid.
type Config struct {
	// Interval is the time between two fetches, MinInterval to MaxInterval.
	Interval time.Duration `comment:"How often Windsock asks for the figures." takes:"a time from 1m to 60m, such as 5m" toml:"interval"`
	// Variant is the only editor to ask, empty for any. Invalid does not check it: this
	// package has no list of editors.
	Variant string `choices:"windsurf,windsurf-next,windsurf-insiders,windsurf-eu,windsurf-fed,windsurf-secure,windsurf-dev,antigravity" comment:"Ask only this editor. Without one, all running editors are asked." empty:"any of them" toml:"variant"`
	// Clock is ClockAuto, Clock12 or Clock24.
	Clock string `choices:"auto,12h,24h" comment:"How the time of day is written. auto follows the system's language." toml:"clock"`
	// WorkDays are two to six of dayNames; none means every day.
	WorkDays []string `comment:"The days on which you work. What is left has to last for these days." empty:"every day" takes:"two to six of mon, tue, wed, thu, fri, sat and sun in a list" toml:"work_days"`
}

// The clocks of a Config.
const (
	ClockAuto = "auto"
	Clock12   = "12h"
	Clock24   = "24h"
)

// DefaultConfig has the values of keys that are not in the file.
func DefaultConfig() Config {
	return Config{Interval: poll.DefaultInterval, Clock: ClockAuto, WorkDays: []string{}}
}

// Invalid returns the keys with an invalid value.
func (c Config) Invalid() []string {
	var keys []string
	if c.Interval < poll.MinInterval || c.Interval > poll.MaxInterval {
		keys = append(keys, "interval")
	}
	switch c.Clock {
	case ClockAuto, Clock12, Clock24:
	default:
		keys = append(keys, "clock")
	}
	if _, ok := c.workDays(); !ok {
		keys = append(keys, "work_days")
	}
	return keys
}

// dayNames are in the order of time.Weekday.
var dayNames = [...]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// Pace returns the options for a pace in location. Invalid work days mean every day.
func (c Config) Pace(location *time.Location) pace.Options {
	days, ok := c.workDays()
	if !ok {
		days = nil
	}
	return pace.Options{WorkDays: days, Location: location}
}

// Words returns how the reader writes times: in location, with the clock of the Config
// or of the environment that lookup reads.
func (c Config) Words(location *time.Location, lookup func(string) (string, bool)) words.Words {
	w := words.Words{Location: location}
	switch c.Clock {
	case Clock12:
		w.TwelveHour = true
	case Clock24:
	default:
		w.TwelveHour = words.TwelveHour(lookup)
	}
	return w
}

// workDays returns false for too few days, too many, an unknown one or a repeated one.
func (c Config) workDays() ([]time.Weekday, bool) {
	var days []time.Weekday
	for _, name := range c.WorkDays {
		day := slices.Index(dayNames[:], name)
		if day < 0 || slices.Contains(days, time.Weekday(day)) {
			return nil, false
		}
		days = append(days, time.Weekday(day))
	}
	return days, len(days) == 0 || (len(days) >= 2 && len(days) <= 6)
}
