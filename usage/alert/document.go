package alert

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// version is that of the document that plans are kept as. An older app takes one for
// its own that lacks its fields, and warns once more.
const version = 1

type document struct {
	Version int     `json:"version"`
	Plans   []*plan `json:"accounts"` // seen last comes first
}

// errNewer is a document that a later version of the app wrote. It is to be left
// as it is.
var errNewer = errors.New("read alerts: a newer version wrote them")

// write makes the document of plans.
func write(plans []*plan) ([]byte, error) {
	text, err := json.Marshal(document{version, plans})
	if err != nil {
		return nil, fmt.Errorf("write alerts: %w", err)
	}
	return text, nil
}

// read takes what write made, in this edition or the first. It fails with errNewer, or
// because it is no such document.
func read(text []byte) ([]*plan, error) {
	// What is behind the version may look different in a newer one.
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, errors.New("read alerts: not a document of them")
	}
	switch {
	case head.Version > version:
		return nil, errNewer
	case head.Version < 1:
		return nil, errors.New("read alerts: no version")
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, errors.New("read alerts: not a document of them")
	}
	plans := slices.DeleteFunc(d.Plans, func(p *plan) bool { return p == nil })
	for _, p := range plans {
		p.upgrade()
	}
	return plans, nil
}
