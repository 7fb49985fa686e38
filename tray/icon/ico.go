package icon

import (
	"encoding/binary"
	"image"
)

// icoSizes are the sizes that Windows needs in the notification area and the dialogs,
// from 100 % to 400 % scale.
var icoSizes = [...]int{16, 20, 24, 32, 48, 64}

const (
	icoHeader = 6
	icoEntry  = 16
	bmpHeader = 40
)

// encodeICO writes every entry as a 32-bit bitmap: LoadImage reads those from a file
// on every Windows, but PNG entries only at 256 pixels.
func encodeICO(i Icon) []byte {
	out := le16(nil, 0)
	out = le16(out, 1) // an icon, not a cursor
	out = le16(out, len(icoSizes))
	offset := icoHeader + icoEntry*len(icoSizes)
	var bitmaps []byte
	for _, size := range icoSizes {
		b := bitmap(i.Image(size))
		out = le16(out, size|size<<8)
		out = le16(out, 0) // no table of colours
		out = le16(out, 1) // plane
		out = le16(out, 32)
		out = le32(out, len(b))
		out = le32(out, offset+len(bitmaps))
		bitmaps = append(bitmaps, b...)
	}
	return append(out, bitmaps...)
}

// bitmap is a BITMAPINFOHEADER, the pixels from the lowest row up as blue, green, red
// and straight alpha, and a one-bit mask of the fully clear pixels, with rows padded
// to four bytes.
func bitmap(m *image.NRGBA) []byte {
	size := m.Rect.Dx()
	stride := (size + 31) / 32 * 4
	out := make([]byte, 0, bmpHeader+4*size*size+stride*size)
	out = le32(out, bmpHeader)
	out = le32(out, size)
	out = le32(out, 2*size) // the mask counts as rows
	out = le16(out, 1)
	out = le16(out, 32)
	out = append(out, make([]byte, bmpHeader-len(out))...)
	mask := make([]byte, 0, stride*size)
	for y := size - 1; y >= 0; y-- {
		row := make([]byte, stride)
		for x := range size {
			c := m.NRGBAAt(x, y)
			out = append(out, c.B, c.G, c.R, c.A)
			if c.A == 0 {
				row[x/8] |= 0x80 >> (x % 8)
			}
		}
		mask = append(mask, row...)
	}
	return append(out, mask...)
}

func le16(b []byte, v int) []byte {
	return binary.LittleEndian.AppendUint16(b, uint16(v&0xffff))
}

func le32(b []byte, v int) []byte {
	return binary.LittleEndian.AppendUint32(b, uint32(v&0x7fffffff))
}
