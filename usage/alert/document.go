package alert

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// version is the version of the stored document. An older app accepts a document that
// lacks its fields, and warns once more.
const version = 1

type document struct {
	Version int     `json:"version"`
	Plans   []*plan `json:"accounts"` // last seen first
}

// errNewer is a document that a later version of the app wrote. It must not be changed.
var errNewer = errors.New("read alerts: a newer version wrote them")

// write encodes plans as a document.
func write(plans []*plan) ([]byte, error) {
	text, err := json.Marshal(document{version, plans})
	if err != nil {
		return nil, fmt.Errorf("write alerts: %w", err)
	}
	return text, nil
}

// read decodes a document of write, in this edition or the first. It fails with
// errNewer, or because the text is no such document.
func read(text []byte) ([]*plan, error) {
	// A newer document may differ in everything but the version.
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
