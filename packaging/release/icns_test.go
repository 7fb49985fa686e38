package main

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestICNS(t *testing.T) {
	t.Parallel()
	pictures := make(map[int][]byte)
	for _, e := range icnsTypes {
		pictures[e.size] = []byte(strings.Repeat("p", e.size))
	}
	data, err := encodeICNS(pictures)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := binary.BigEndian.Uint32(data[4:]), uint32(len(data)); string(data[:4]) != "icns" || got != want {
		t.Errorf("the header is %q of %d bytes, want icns of %d", data[:4], got, want)
	}
	got := make(map[string]int)
	for rest := data[8:]; len(rest) > 0; {
		size := binary.BigEndian.Uint32(rest[4:])
		got[string(rest[:4])] = int(size) - 8
		rest = rest[size:]
	}
	want := make(map[string]int)
	for _, e := range icnsTypes {
		want[e.name] = e.size
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	delete(pictures, 512)
	if _, err := encodeICNS(pictures); err == nil {
		t.Error("an icon without its 512 pixels was made")
	}
}
