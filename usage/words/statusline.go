package words

import (
	"strings"

	"windsock/usage"
)

// windowWords are the short forms of the windows at the end of Antigravity's labels.
var windowWords = map[string]string{"5-hour": "5h", "weekly": "week"}

// StatusLine is what is left of each limit, for one short line of a terminal:
// "Gemini 5h 50 %, week 97 % · Claude/GPT 100 %". A pool of which all is left has one
// figure. Limits without a figure are left out.
func StatusLine(s usage.Snapshot) string {
	type pool struct {
		name    string
		windows []string
		full    bool // all is left
	}
	var pools []*pool
	for _, m := range s.Meters {
		share := Percent(m)
		if share == "" {
			continue
		}
		name, window := m.Label(), ""
		if at := strings.LastIndexByte(name, ' '); at > 0 && windowWords[name[at+1:]] != "" {
			name, window = name[:at], windowWords[name[at+1:]]+" "
		}
		if len(pools) == 0 || pools[len(pools)-1].name != name {
			pools = append(pools, &pool{name: name, full: true})
		}
		p := pools[len(pools)-1]
		if m.State == usage.StateExhausted {
			share = "used up"
			if !m.Window.End.IsZero() {
				share += ", back " + In(m.Window.End.Sub(s.Judged))
			}
		}
		p.full = p.full && m.State != usage.StateExhausted && m.RemainingPercent().Scaled(0) == 100 && !m.Used.Positive()
		p.windows = append(p.windows, window+share)
	}
	all := make([]string, len(pools))
	for i, p := range pools {
		if p.full {
			p.windows = []string{"100 %"}
		}
		all[i] = p.name + " " + strings.Join(p.windows, ", ")
	}
	return strings.Join(all, " · ")
}
