package alert

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"windsock/usage"
)

// version is that of the document that a State is kept as.
const version = 1

// maxDocument is several times what a State can come to.
const maxDocument = 256 << 10

type document struct {
	Version  int       `json:"version"`
	Accounts []account `json:"accounts"`
}

// errNewer is a document that a later version of the app wrote. It is to be left
// as it is.
var errNewer = errors.New("read alerts: a newer version wrote them")

// document is the State as JSON with a version.
func (s State) document() ([]byte, error) {
	text, err := json.Marshal(document{version, s.accounts})
	if err != nil {
		return nil, fmt.Errorf("write alerts: %w", err)
	}
	return text, nil
}

// parse reads what document wrote, in this version or an older one. It fails with
// errNewer, or because it is no such document; the State is nothing then.
func parse(text []byte) (State, error) {
	if len(text) > maxDocument {
		return State{}, errors.New("read alerts: too long")
	}
	// What is behind the version may look different in a newer one.
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return State{}, errors.New("read alerts: not a document of them")
	}
	switch {
	case head.Version > version:
		return State{}, errNewer
	case head.Version < 1:
		return State{}, errors.New("read alerts: no version")
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return State{}, errors.New("read alerts: not a document of them")
	}
	d.Accounts = d.Accounts[:min(len(d.Accounts), maxAccounts)]
	for i := range d.Accounts {
		d.Accounts[i].repair()
	}
	return State{d.Accounts}, nil
}

// repair takes out what the rules would not have put there.
func (a *account) repair() {
	meters := make(map[usage.MeterID][]period, len(a.Meters))
	for _, id := range warned() {
		list := a.Meters[id]
		list = slices.Clone(list[:min(len(list), maxPeriods)])
		for i, p := range list {
			p.End, p.RunsOutSince, p.ClearSince = stamp(p.End), stamp(p.RunsOutSince), stamp(p.ClearSince)
			p.Pools = p.Pools[:min(len(p.Pools), maxPools)]
			for j := range p.Pools {
				p.Pools[j].Told = percent(p.Pools[j].Told)
			}
			p.Extra = extra{Base: max(p.Extra.Base, 0), Told: percent(p.Extra.Told)}
			list[i] = p
		}
		if len(list) > 0 {
			meters[id] = list
		}
	}
	a.Meters = meters
	a.Debt.Count = max(a.Debt.Count, 0)
	a.Debt.ClearSince, a.TopUp.LessSince, a.MutedUntil = stamp(a.Debt.ClearSince), stamp(a.TopUp.LessSince), stamp(a.MutedUntil)
}

func percent(n int) int { return min(max(n, 0), 100) }
