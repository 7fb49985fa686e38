package icon

import (
	"bytes"
	"slices"
	"sync"
)

type format uint8

const (
	formatPNG format = iota
	formatICO
	formatTemplate
	formatRaw
)

// A picture is one state in one format; size is 0 where the format has its own.
type picture struct {
	icon   Icon
	format format
	size   int
}

func (p picture) encode() []byte {
	switch p.format {
	case formatICO:
		return encodeICO(p.icon)
	case formatTemplate:
		return encodePNG(paint(p.icon, p.size, template()))
	case formatRaw:
		return encodeRaw(p.icon.Image(p.size))
	default:
		return encodePNG(p.icon.Image(p.size))
	}
}

// cached is how many pictures are kept: a few states are shown in turn, in one
// format. The largest picture is an ICO, so this is half a megabyte at most.
const cached = 16

// A cache holds the pictures asked for last, the latest first.
type cache struct {
	mu      sync.Mutex
	entries []entry // guarded by mu
}

type entry struct {
	picture picture
	data    []byte
}

var pictures cache

// get hands out a copy, so that nobody can spoil what the next one gets.
func (c *cache) get(p picture) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.entries, func(e entry) bool { return e.picture == p })
	var e entry
	switch {
	case at >= 0:
		e = c.entries[at]
		c.entries = slices.Delete(c.entries, at, at+1)
	default:
		e = entry{p, p.encode()}
		c.entries = c.entries[:min(len(c.entries), cached-1)]
	}
	c.entries = slices.Insert(c.entries, 0, e)
	return bytes.Clone(e.data)
}
