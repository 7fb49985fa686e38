package windowtest

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

type object = map[string]any

type items = []any

// figures are a plan half-way through its cycle, with everything that the window can
// show.
func figures() map[string]any {
	lines := items{
		object{"meter": "prompt_credits", "text": "Prompt credits: 228 of 500 left (46 %)", "under": "△ Even odds to last · resets in 15d (18 Feb) · To last: up to 15 credits a day", "left": 45.6, "level": "plain"},
		object{"meter": "flex_credits", "text": "Flex credits: 24,994.5 of 26,750 left (93 %)", "under": "", "left": 93.4, "level": "plain"},
		object{"text": "Auto top-up is on: $10.00 of $50.00 spent this month.", "under": "", "level": "note"},
	}
	start, end := noon.AddDate(0, 0, -16), noon.AddDate(0, 0, 15)
	return map[string]any{
		"GET /api/hello":             object{"version": "1.0.0", "demo": false, "view": "prompt", "plans": onePlan(lines), "twelve_hour": false},
		"usage":                      object{"plans": onePlan(lines), "live": true, "twelve_hour": false},
		"GET /api/models":            object{"models": models(), "default": "swe-1-6", "last": "claude-opus-4-5"},
		"POST /api/ask":              object{"id": "a1"},
		"GET /api/usage/chart":       chart(start, end),
		"GET /api/usage/spend":       spent(someModels()...),
		"GET /api/clean/plan":        plan(),
		"POST /api/usage/spend/read": object{"plan": "windsurf"},
		"POST /api/clean/run":        object{},
		"POST /api/clean/undo":       object{},
		"GET /api/settings":          settings(),
		"POST /api/settings/check":   object{"errors": object{}},
		"POST /api/settings":         object{},
		"GET /api/cloud":             signIns(),
		"POST /api/cloud/allow":      object{},
		"POST /api/cloud/deny":       object{},
		"POST /api/notify/test":      object{},
		"POST /api/mutes":            object{},
		"POST /api/autostart":        object{},
		"GET /favicon.ico":           nil,
	}
}

// onePlan is the only plan, with its lines.
func onePlan(lines items) items {
	return items{object{"name": "windsurf", "heading": "", "lead": true, "short": lines[0], "lines": lines}}
}

func model(uid, label, price string, more object) object {
	m := object{
		"uid": uid, "label": label, "price": price, "new": false, "recommended": false,
		"default": false, "disabled": false, "disabled_reason": nil, "images": false, "max_tokens": nil,
	}
	maps.Copy(m, more)
	return m
}

func models() items {
	return items{
		model("swe-1-6", "SWE-1.6", "free", object{"new": true, "default": true}),
		model("claude-opus-4-5", "Claude Opus 4.5", "2×", nil),
		model("claude-opus-4-7", "Claude Opus 4.7", "4.5×", object{"disabled": true, "disabled_reason": "Retired. Take Claude Opus 4.5."}),
		model("gpt-5-2-high", "GPT-5.2 High", "0.25×", nil),
		model("gpt-5-2-low", "GPT-5.2 Low", "0.125×", nil),
		model("kite", "模型 🪁", "unknown", nil), //nolint:gosmopolitan // models are called so
		model("MODEL_PRIVATE_3", "Penguin", "1×", nil),
		model("byok", "Claude with my own key", "own key", nil),
	}
}

type day struct {
	Day   string  `json:"day"`
	Used  float64 `json:"used"`
	Words string  `json:"words"`
}

func chart(start, end time.Time) object {
	// What goes in three working hours of each weekday.
	step := map[time.Weekday]float64{time.Sunday: 1, time.Monday: 6, time.Tuesday: 5, time.Wednesday: 7, time.Thursday: 6.5, time.Friday: 4}
	points, days := items{}, []day{}
	used := 0.0
	for at := start; !at.After(noon); at = at.Add(3 * time.Hour) {
		date := at.Format("2 Jan")
		if n := len(days); n == 0 || days[n-1].Day != date {
			days = append(days, day{Day: date})
		}
		if at.Sub(start)/(24*time.Hour) == 6 { // the computer was off
			points = append(points, items{at.Unix(), nil})
			continue
		}
		if at.Hour() >= 9 && at.Hour() <= 18 {
			used += step[at.Weekday()]
			days[len(days)-1].Used += step[at.Weekday()]
		}
		points = append(points, items{at.Unix(), used})
	}
	last := items{}
	for i, d := range slices.Backward(days) {
		days[i].Words = fmt.Sprintf("%g credits", d.Used)
		last = append(last, object{"at": d.Day + " 2026, 21:00 UTC", "used": fmt.Sprintf("%g credits", used)})
	}
	line := func(at time.Time, to float64) items { return items{items{noon.Unix(), used}, items{at.Unix(), to}} }
	return object{
		"plans": items{object{"name": "windsurf", "heading": "", "meters": items{
			object{"id": "prompt_credits", "label": "Prompt credits", "unit": "credits"}, object{"id": "flex_credits", "label": "Flex credits", "unit": "credits"},
		}}},
		"plan": "windsurf", "meter": "prompt_credits", "unit": "credits", "total": 500, "total_words": "500 credits", "resets_on": "18 Feb 2026, 12:00 UTC", "now": noon,
		"points": points, "even": items{items{start.Unix(), 0}, items{end.Unix(), 500}},
		"forecast": object{
			"low": line(end, 360), "mid": line(end, 480), "high": line(noon.AddDate(0, 0, 10), 500),
			"cases": items{
				object{"case": "Low: 1 in 10 is lower", "ends": "360 credits used at the reset"},
				object{"case": "Middle", "ends": "480 credits used at the reset"},
				object{"case": "High: 1 in 10 is higher", "ends": "all used by 13 Feb 2026, 12:00 UTC"},
			},
			"words": "Forecast: in the middle case 480 credits used at the reset, in a low one 360 credits used at the reset, in a high one all used by 13 Feb 2026, 12:00 UTC.",
			"odds":  "The odds come from what you used in 3 past windows and in this one.",
		},
		"past":   items{},
		"resets": items{start.Unix(), end.Unix()}, "last": last, "days": days, "days_words": "272 credits used on the 17 days with figures, at most 28 credits on one", "words": "△ Even odds to last",
	}
}

// pastWindows puts two of them into the chart, one of which was used up.
func (s *stub) pastWindows() {
	start := noon.AddDate(0, 0, -16)
	window := func(until, used string, day float64) object {
		points := items{}
		for n := range 31 {
			at := start.AddDate(0, 0, n)
			points = append(points, items{at.Unix(), min(500, day*float64(n-2*(n/7)-max(0, n%7-5)))})
		}
		return object{"points": points, "until": until, "used": used}
	}
	drawn := chart(start, noon.AddDate(0, 0, 15))
	drawn["past"] = items{window("18 Dec 2025, 12:00 UTC", "308 of 500 credits", 14), window("18 Jan 2026, 12:00 UTC", "500 of 500 credits", 26)}
	s.set("GET /api/usage/chart", drawn)
}

func cascade(id, title string, days int, bytes any, size, workspace string) object {
	return object{
		"cascade_id": id, "title": title, "last_touched": noon.AddDate(0, 0, -days), "bytes": bytes, "workspace": workspace,
		"touched": noon.AddDate(0, 0, -days).Format("2 Jan 2006, 15:04 MST"), "age": fmt.Sprint(days, " days"), "size": size,
	}
}

func plan() object {
	return object{
		"items": items{
			cascade("c1", "Refactor the billing service into smaller modules", 41, 88_200_000, "88 MB", "billing"),
			cascade("c2", "Why does the integration test hang on the second run?", 33, 61_000_000, "61 MB", "billing"),
			cascade("c3", "<img src=x onerror=alert(1)> in a title", 29, 40_100_000, "40 MB", ""),
			cascade("c4", "Write a Dockerfile for the API", 22, 18_600_000, "19 MB", "api"),
			cascade("c5", "", 120, 4_500_000, "4.5 MB", "notes"),
			cascade("c6", "A cascade with a title that is long enough to need more than one line in any window that a person would open", 400, nil, "unknown", "a-workspace-with-a-long-name"),
		},
		"kept": items{
			object{"count": 1, "words": "running"},
			object{"count": 42, "words": "archived already"},
			object{"count": 3, "words": "hidden"},
			object{"count": 10, "words": "among the newest"},
			object{"count": 17, "words": "touched lately"},
		},
		"files_only": false, "undo": object{"count": 8, "words": "8 cascades, 20 Jan"},
	}
}

func key(name, kind string, value, standard any, comment, help, empty string, choices ...string) object {
	return object{"key": name, "type": kind, "value": value, "default": standard, "comment": comment, "help": help, "empty": empty, "choices": choices}
}

func settings() object {
	return object{
		"path": "/home/robin/.config/windsock/config.toml",
		"sections": items{
			object{"name": "usage", "keys": items{
				key("usage.interval", "duration", "5m", "5m", "How often Windsock asks for the figures.", "It takes a time from 1m to 60m, such as 5m.", ""),
				key("usage.variant", "string", "", "", "Ask only this editor. Without one, all running editors are asked.", "", "any of them", "windsurf", "windsurf-next", "windsurf-insiders", "windsurf-eu", "windsurf-fed", "windsurf-secure", "windsurf-dev", "antigravity", ""),
				key("usage.clock", "string", "auto", "auto", "How the time of day is written. auto follows the system's language.", "", "", "auto", "12h", "24h"),
				key("usage.work_days", "list", items{"mon", "tue", "wed", "thu", "fri"}, items{}, "The days on which you work. What is left has to last for these days.", "It takes two to six of mon, tue, wed, thu, fri, sat and sun in a list; leave it empty for every day.", "every day"),
			}},
			object{"name": "tray", "keys": items{key("tray.title", "bool", true, true, "Whether to show the percentage beside the icon, if the system has room for it.", "It takes true or false.", "")}},
			object{"name": "alerts", "keys": items{
				key("alerts.enabled", "bool", true, true, "Whether to show warnings.", "It takes true or false.", ""),
				key("alerts.thresholds", "list", items{20, 5}, items{20, 5}, "Warn when this many per cent are left. You are always told when a meter is used up.", "It takes a list of up to 8 whole numbers from 1 to 99, such as 20, 5; leave it empty for none.", "none"),
				key("alerts.acu", "list", items{}, items{}, "The same for ACUs.", "It takes a list like thresholds, 0 for none; leave it empty for the same ones.", "the same ones"),
			}},
			object{"name": "chat", "keys": items{key("chat.model", "string", "", "", "The model to ask where none is named; without one, the editor's own choice.", "It takes a name as windsock models lists it; leave it empty for the editor's own choice.", "the editor's own choice")}},
			object{"name": "prompt", "keys": items{key("prompt.key", "string", "", "", "A key that opens the prompt window from anywhere. On Linux the desktop asks you about it, and may give it another key.", "It takes a letter, digit or Space with Ctrl, Alt or Super, or a function key, such as Ctrl+Alt+W; leave it empty for no key.", "no key")}},
			object{"name": "api", "keys": items{key("api.port", "int", 42100, 42100, "The port on 127.0.0.1. If it is taken, Windsock takes another one.", "It takes a number from 1024 to 65535.", "")}},
			object{"name": "log", "keys": items{key("log.level", "string", "info", "info", "How much the log tells.", "", "", "debug", "info", "warn", "error")}},
		},
		"problem": "", "comments": false, "autostart": object{"on": false, "available": true},
		"shortcut": object{"text": "", "failed": false},
		"mutes":    items{object{"plan": "windsurf", "meter": "prompt_credits", "label": "Prompt credits", "muted": true, "until": "18 Feb"}},
		"places": items{
			object{"what": "Settings", "path": "/home/robin/.config/windsock/config.toml"},
			object{"what": "History", "path": "/home/robin/.local/state/windsock/history.db"},
			object{"what": "Log", "path": "/home/robin/.local/state/windsock/windsock.log"},
		},
	}
}
