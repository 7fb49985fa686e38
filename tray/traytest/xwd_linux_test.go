package traytest

import (
	"encoding/binary"
	"image/color"
	"testing"
)

// dump is a window dump of 2×1 pixels, red and blue, with one colour entry and a
// padded line.
func dump() []byte {
	header := []uint32{
		100, 7, 2, 24, 2, 1, 0, 0, 32, 0, 32, 32, 12, 4, 0xff0000, 0xff00, 0xff, 8, 256, 1, 2, 1, 0, 0, 0,
	}
	var data []byte
	for _, word := range header {
		data = binary.BigEndian.AppendUint32(data, word)
	}
	data = append(data, make([]byte, 12)...)
	return append(data, 0, 0, 0xff, 0, 0xff, 0, 0, 0, 1, 2, 3, 4)
}

func TestDecodeXWD(t *testing.T) {
	t.Parallel()
	screen, err := decodeXWD(dump())
	if err != nil {
		t.Fatal(err)
	}
	red, blue := color.NRGBA{R: 0xff, A: 0xff}, color.NRGBA{B: 0xff, A: 0xff}
	if screen.Rect.Dx() != 2 || screen.Rect.Dy() != 1 || screen.NRGBAAt(0, 0) != red || screen.NRGBAAt(1, 0) != blue {
		t.Errorf("got %v %v", screen.Rect, screen.Pix)
	}
	for n := range dump() {
		if _, err := decodeXWD(dump()[:n]); err == nil {
			t.Errorf("the first %d bytes are a picture", n)
		}
	}
	for _, word := range []int{1, 2, 7, 11, 12, 14} {
		other := dump()
		binary.BigEndian.PutUint32(other[4*word:], 1)
		if _, err := decodeXWD(other); err == nil {
			t.Errorf("a dump with 1 in word %d is a picture", word)
		}
	}
}
