package alert

import (
	"slices"

	"windsock/usage"
)

// Config is the section [alerts] of the configuration file. The tags describe a key
// there: its name, its purpose (comment) and its values. A meter's own list of
// thresholds, if not empty, replaces Thresholds; a list of 0 alone has no threshold, so
// that only the end raises an alert.
type Config struct {
	Enabled bool `comment:"Whether to show warnings." toml:"enabled"`

	Thresholds []int `comment:"Warn when this many per cent are left. You are always told when a meter is used up." empty:"none" takes:"a list of up to 8 whole numbers from 1 to 99, such as [20, 5]" toml:"thresholds"`

	PromptCredits []int `comment:"The same for prompt credits alone." empty:"the same ones" takes:"a list like thresholds, [0] for none" toml:"prompt_credits"`

	FlexCredits []int `comment:"The same for flex credits, once the prompt credits are used up." empty:"the same ones" takes:"a list like thresholds, [0] for none" toml:"flex_credits"`

	DailyQuota []int `comment:"The same for the daily quota." empty:"the same ones" takes:"a list like thresholds, [0] for none" toml:"daily_quota"`

	WeeklyQuota []int `comment:"The same for the weekly quota." empty:"the same ones" takes:"a list like thresholds, [0] for none" toml:"weekly_quota"`

	ACU []int `comment:"The same for ACUs." empty:"the same ones" takes:"a list like thresholds, [0] for none" toml:"acu"`

	Gemini5h []int `comment:"The same for Antigravity's 5-hour quota of Gemini." empty:"the same ones" takes:"a list like thresholds, [0] for none" toml:"gemini_5h"`

	GeminiWeekly []int `comment:"The same for Antigravity's weekly quota of Gemini." empty:"the same ones" takes:"a list like thresholds, [0] for none" toml:"gemini_weekly"`

	ThirdParty5h []int `comment:"The same for Antigravity's 5-hour quota of Claude and GPT." empty:"the same ones" takes:"a list like thresholds, [0] for none" toml:"third_party_5h"`

	ThirdPartyWeekly []int `comment:"The same for Antigravity's weekly quota of Claude and GPT." empty:"the same ones" takes:"a list like thresholds, [0] for none" toml:"third_party_weekly"`

	Requests []int `comment:"The same for Cursor's included requests." empty:"the same ones" takes:"a list like thresholds, [0] for none" toml:"requests"`

	CursorModels []int `comment:"The same for Cursor's pool for its own models." empty:"the same ones" takes:"a list like thresholds, [0] for none" toml:"cursor_models"`

	OtherModels []int `comment:"The same for Cursor's pool for other models." empty:"the same ones" takes:"a list like thresholds, [0] for none" toml:"other_models"`

	Included []int `comment:"The same for all of Cursor's included usage, if it has no pools." empty:"the same ones" takes:"a list like thresholds, [0] for none" toml:"included"`

	Ignore []string `comment:"The meters without warnings, also when they are used up." empty:"none" takes:"a list of prompt_credits, flex_credits, flow_credits, daily_quota, weekly_quota, acu, gemini_5h, gemini_weekly, third_party_5h, third_party_weekly, requests, cursor_models, other_models and included" toml:"ignore"`

	WillRunOut bool `comment:"Whether to warn when a meter will probably run out before its reset." toml:"will_run_out"`

	ExtraUsage bool `comment:"Whether to warn when extra usage or Cursor's on-demand usage begins to pay, when some of it is spent, and of a debt." toml:"extra_usage"`

	TopUp bool `comment:"Whether to warn when auto top-up has spent money." toml:"top_up"`

	Refilled bool `comment:"Whether to tell when a meter is back after it was used up, or after the last warning before that." toml:"refilled"`
}

// DefaultConfig has the values of keys that are not in the file.
func DefaultConfig() Config {
	return Config{
		Enabled: true, Thresholds: []int{20, 5},
		PromptCredits: []int{}, FlexCredits: []int{}, DailyQuota: []int{}, WeeklyQuota: []int{}, ACU: []int{},
		Gemini5h: []int{}, GeminiWeekly: []int{}, ThirdParty5h: []int{}, ThirdPartyWeekly: []int{},
		Requests: []int{}, CursorModels: []int{}, OtherModels: []int{}, Included: []int{},
		Ignore:     []string{},
		WillRunOut: true, ExtraUsage: true, TopUp: true, Refilled: true,
	}
}

// maxThresholds is more alerts than a person can want.
const maxThresholds = 8

// Invalid returns the keys with an invalid value.
func (c Config) Invalid() []string {
	var keys []string
	if !valid(c.Thresholds) {
		keys = append(keys, "thresholds")
	}
	own := c.own()
	for _, id := range usage.MeterIDs() {
		if list := own[id]; !slices.Equal(list, none) && !valid(list) {
			keys = append(keys, string(id))
		}
	}
	if slices.ContainsFunc(c.Ignore, func(id string) bool { return !usage.MeterID(id).Info().Warned }) {
		keys = append(keys, "ignore")
	}
	return keys
}

// none is the list of a meter that has no thresholds.
var none = []int{0}

func valid(thresholds []int) bool {
	outside := func(n int) bool { return n < 1 || n > 99 }
	return len(thresholds) <= maxThresholds && !slices.ContainsFunc(thresholds, outside)
}

// own are the lists of thresholds of single meters.
func (c Config) own() map[usage.MeterID][]int {
	return map[usage.MeterID][]int{
		usage.PromptCredits: c.PromptCredits,
		usage.FlexCredits:   c.FlexCredits,
		usage.DailyQuota:    c.DailyQuota,
		usage.WeeklyQuota:   c.WeeklyQuota,
		usage.ACU:           c.ACU,

		usage.Gemini5h:         c.Gemini5h,
		usage.GeminiWeekly:     c.GeminiWeekly,
		usage.ThirdParty5h:     c.ThirdParty5h,
		usage.ThirdPartyWeekly: c.ThirdPartyWeekly,

		usage.Requests:     c.Requests,
		usage.CursorModels: c.CursorModels,
		usage.OtherModels:  c.OtherModels,
		usage.Included:     c.Included,
	}
}

// thresholds are the thresholds of a meter.
func (c Config) thresholds(id usage.MeterID) []int {
	switch own := c.own()[id]; {
	case len(own) == 0:
		return c.Thresholds
	case slices.Equal(own, none):
		return nil
	default:
		return own
	}
}

// tells reports whether the settings allow an alert.
func (c Config) tells(a Alert) bool {
	if !c.Enabled || slices.Contains(c.Ignore, string(a.Meter)) {
		return false
	}
	switch {
	case a.Meter.IsMoney():
		return c.ExtraUsage
	case a.Kind == KindTopUp:
		return c.TopUp
	case a.Kind == KindWillRunOut:
		return c.WillRunOut
	case a.Kind == KindRefilled:
		return c.Refilled
	default:
		return true
	}
}
