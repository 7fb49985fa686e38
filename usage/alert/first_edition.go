package alert

import (
	"time"

	"windsock/usage"
)

// firstEdition is how meters were stored at first: by window and by the size of the
// plan, present ones first. It is still read, so that an update does not warn again.
type firstEdition map[usage.MeterID][]struct {
	End   time.Time `json:"end"`
	Pools []struct {
		Total    int64 `json:"total"`
		Told     int   `json:"told"`
		Refilled bool  `json:"refilled"`
	} `json:"pools"`
	RunsOutSince time.Time `json:"runs_out_since"`
	RunOutTold   bool      `json:"run_out_told"`
	ClearSince   time.Time `json:"clear_since"`
	Owed         bool      `json:"owed"`
	Muted        bool      `json:"muted"`
	Extra        extra     `json:"extra"`
}

// upgrade turns the first edition into records.
func (p *plan) upgrade() {
	for id, windows := range p.First {
		if len(windows) == 0 || p.Records[id] != nil {
			continue
		}
		w := windows[0]
		r := &record{
			WindowEnd: w.End, RunsOutSince: w.RunsOutSince, RunOutTold: w.RunOutTold, ClearSince: w.ClearSince,
			Owed: w.Owed, Muted: w.Muted,
		}
		if len(w.Pools) > 0 {
			r.Told, r.Refilled = w.Pools[0].Told, w.Pools[0].Refilled
			if w.Muted {
				r.MutedLeft = w.Pools[0].Total // what was left is unknown; it is at most this
			}
		}
		if p.Records == nil {
			p.Records = map[usage.MeterID]*record{}
		}
		p.Records[id] = r
		if w.Extra.Base > 0 && !w.End.Before(p.Extra.Until) {
			p.Extra = extra{Base: w.Extra.Base, Told: w.Extra.Told, Until: w.End}
		}
	}
	p.First = nil
}
