package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// icnsTypes are the entries of an icon for macOS that hold a PNG, with their width
// in pixels. Those of 16 and 32 points are there for screens of two pixels a
// point; for others macOS makes them smaller.
var icnsTypes = []struct {
	name string
	size int
}{
	{"ic11", 32}, {"ic12", 64}, {"ic07", 128}, {"ic13", 256}, {"ic08", 256}, {"ic14", 512}, {"ic09", 512}, {"ic10", 1024},
}

// encodeICNS writes "icns", the length of the file, and the entries: each its
// type, its length with these eight bytes, and a PNG. Numbers are big-endian.
func encodeICNS(png map[int][]byte) ([]byte, error) {
	const header = 8
	var entries bytes.Buffer
	for _, t := range icnsTypes {
		data := png[t.size]
		if len(data) == 0 {
			return nil, fmt.Errorf("make icns: there is no icon of %d pixels", t.size)
		}
		entries.WriteString(t.name)
		entries.Write(binary.BigEndian.AppendUint32(nil, uint32(header+len(data)))) //nolint:gosec // an icon is small
		entries.Write(data)
	}
	out := binary.BigEndian.AppendUint32([]byte("icns"), uint32(header+entries.Len())) //nolint:gosec // as above
	return append(out, entries.Bytes()...), nil
}
