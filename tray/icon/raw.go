package icon

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"sync"
)

// systray on Linux decodes the picture and sends the low byte of every premultiplied
// channel as if it were straight ARGB, so that the soft edges of a PNG get wrong
// colours. A private format avoids that: its decoder's pixels report straight
// channels. A program that does more than call At (as image/draw does) still gets a
// right picture.
const (
	rawMagic  = "windsock icon\n"
	rawHeader = len(rawMagic) + 1 // and the side in pixels
)

// A straight colour claims not to be premultiplied, against the contract of
// color.Color.
type straight color.NRGBA

func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}

type straightImage struct{ *image.NRGBA }

func (m straightImage) At(x, y int) color.Color {
	return straight(m.NRGBAAt(x, y))
}

// A raw picture is encoded before one is decoded.
var registerRaw = sync.OnceFunc(func() {
	image.RegisterFormat("windsock", rawMagic, decodeRaw, decodeRawConfig)
})

func encodeRaw(m *image.NRGBA) []byte {
	registerRaw()
	out := make([]byte, 0, rawHeader+len(m.Pix))
	out = append(out, rawMagic...)
	out = append(out, byte(m.Rect.Dx()&0xff))
	return append(out, m.Pix...)
}

func decodeRaw(r io.Reader) (image.Image, error) {
	c, err := decodeRawConfig(r)
	if err != nil {
		return nil, err
	}
	m := image.NewNRGBA(image.Rect(0, 0, c.Width, c.Height))
	if _, err := io.ReadFull(r, m.Pix); err != nil {
		return nil, fmt.Errorf("read raw icon: %w", err)
	}
	return straightImage{m}, nil
}

func decodeRawConfig(r io.Reader) (image.Config, error) {
	var head [rawHeader]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return image.Config{}, fmt.Errorf("read raw icon: %w", err)
	}
	if string(head[:len(rawMagic)]) != rawMagic {
		return image.Config{}, errors.New("read raw icon: not one")
	}
	size := int(head[len(rawMagic)])
	if size < minSize || size > maxSize {
		return image.Config{}, fmt.Errorf("read raw icon: %d pixels wide", size)
	}
	return image.Config{ColorModel: color.NRGBAModel, Width: size, Height: size}, nil
}
