package icon

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// frame is what one entry of an ICO holds.
type frame struct {
	size int
	argb []byte // straight, from the highest row down
	mask []bool // the clear pixels, likewise
}

// readICO takes bitmaps of 32 bits only, as LoadImage does of anything that is
// not 256 pixels wide, and fails at whatever is not exactly as it says.
func readICO(t *testing.T, data []byte) []frame {
	t.Helper()
	le := binary.LittleEndian
	if le.Uint16(data) != 0 || le.Uint16(data[2:]) != 1 {
		t.Fatalf("head % x", data[:4])
	}
	var frames []frame
	end := 6 + 16*int(le.Uint16(data[4:]))
	for n := range int(le.Uint16(data[4:])) {
		e := data[6+16*n:]
		size := int(e[0])
		if int(e[1]) != size || e[2] != 0 || e[3] != 0 || le.Uint16(e[4:]) != 1 || le.Uint16(e[6:]) != 32 {
			t.Fatalf("entry %d: % x", n, e[:16])
		}
		length, offset := int(le.Uint32(e[8:])), int(le.Uint32(e[12:]))
		if offset != end {
			t.Fatalf("entry %d begins at %d, the one before ends at %d", n, offset, end)
		}
		end += length
		frames = append(frames, readBitmap(t, data[offset:end], size))
	}
	if end != len(data) {
		t.Fatalf("%d bytes, %d of them told of", len(data), end)
	}
	return frames
}

func readBitmap(t *testing.T, b []byte, size int) frame {
	t.Helper()
	le := binary.LittleEndian
	head := make([]byte, 40)
	le.PutUint32(head, 40)
	le.PutUint32(head[4:], uint32(size))
	le.PutUint32(head[8:], uint32(2*size))
	le.PutUint16(head[12:], 1)
	le.PutUint16(head[14:], 32)
	if diff := cmp.Diff(head, b[:40]); diff != "" {
		t.Fatalf("BITMAPINFOHEADER (-want +got):\n%s", diff)
	}
	stride := (size + 31) / 32 * 4
	pixels, mask := b[40:40+4*size*size], b[40+4*size*size:]
	if len(mask) != stride*size {
		t.Fatalf("mask of %d bytes for %d pixels", len(mask), size)
	}
	f := frame{size: size}
	for y := size - 1; y >= 0; y-- {
		for x := range size {
			p := pixels[4*(y*size+x):]
			f.argb = append(f.argb, p[3], p[2], p[1], p[0])
			f.mask = append(f.mask, mask[y*stride+x/8]>>(7-x%8)&1 == 1)
		}
	}
	return f
}

func TestICO(t *testing.T) {
	t.Parallel()
	for _, i := range []Icon{{Band: OK, Level: 7}, {Band: Low, Level: 2, Stale: true, Demo: true}, {}} {
		var want []frame
		for _, size := range []int{16, 20, 24, 32, 48, 64} {
			f := frame{size: size, argb: argb(i.Image(size))}
			for n := 0; n < len(f.argb); n += 4 {
				f.mask = append(f.mask, f.argb[n] == 0)
			}
			want = append(want, f)
		}
		if diff := cmp.Diff(want, readICO(t, i.ICO()), cmp.AllowUnexported(frame{})); diff != "" {
			t.Errorf("%v (-want +got):\n%s", i, diff)
		}
	}
}

// argb is the picture as straight ARGB32 in network order, the format of a
// StatusNotifierItem's IconPixmap.
func argb(m *image.NRGBA) []byte {
	var out []byte
	for n := 0; n < len(m.Pix); n += 4 {
		out = append(out, m.Pix[n+3], m.Pix[n], m.Pix[n+1], m.Pix[n+2])
	}
	return out
}

// asSystray is the arithmetic of systray v1.12.2 on Linux.
func asSystray(t *testing.T, data []byte) (w, h int, pixels []byte) {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			r, g, b, a := m.At(x, y).RGBA()
			pixels = append(pixels, byte(a), byte(r), byte(g), byte(b))
		}
	}
	return m.Bounds().Dx(), m.Bounds().Dy(), pixels
}

func TestTrayOnLinuxIsStraightARGB(t *testing.T) {
	t.Parallel()
	for _, s := range states {
		w, h, got := asSystray(t, s.Tray("linux"))
		if w != rawSize || h != rawSize {
			t.Errorf("%v: %d by %d pixels", s, w, h)
		}
		if diff := cmp.Diff(argb(s.Image(rawSize)), got); diff != "" {
			t.Errorf("%v: another picture than the one drawn", s)
		}
	}
	if _, _, got := asSystray(t, states[0].PNG(rawSize)); bytes.Equal(got, argb(states[0].Image(rawSize))) {
		t.Error("systray takes a PNG as it is: the private format is needed no more")
	}
}

func TestRawDrawsRight(t *testing.T) {
	t.Parallel()
	i := Icon{Band: Critical, Level: 1}
	m, name, err := image.Decode(bytes.NewReader(i.Tray("freebsd")))
	if err != nil || name != "windsock" {
		t.Fatal(name, err)
	}
	got, want := image.NewRGBA(m.Bounds()), image.NewRGBA(m.Bounds())
	draw.Draw(got, got.Rect, m, image.Point{}, draw.Src)
	draw.Draw(want, want.Rect, i.Image(rawSize), image.Point{}, draw.Src)
	if diff := cmp.Diff(want.Pix, got.Pix); diff != "" {
		t.Error("image/draw makes another picture of it")
	}
}

func TestTray(t *testing.T) {
	t.Parallel()
	i := Icon{Band: OK, Level: 9}
	if !bytes.Equal(i.Tray("windows"), i.ICO()) {
		t.Error("not the ICO on windows")
	}
	if !bytes.Equal(i.Tray("darwin"), i.PNG(44)) {
		t.Error("not the PNG of 44 pixels on darwin")
	}
}

func TestPNG(t *testing.T) {
	t.Parallel()
	for _, size := range []int{16, 23, 64, 256} {
		i := Icon{Band: Unlimited, Demo: true}
		m, err := png.Decode(bytes.NewReader(i.PNG(size)))
		if err != nil {
			t.Fatal(err)
		}
		if m.Bounds() != image.Rect(0, 0, size, size) {
			t.Errorf("size %d: %v", size, m.Bounds())
		}
		if diff := cmp.Diff(i.Image(size), m); diff != "" {
			t.Errorf("size %d: another picture than the one drawn", size)
		}
	}
}

func TestTemplateIsBlackAndAlpha(t *testing.T) {
	t.Parallel()
	for _, s := range states {
		for _, i := range variants(s) {
			m, err := png.Decode(bytes.NewReader(i.Template()))
			if err != nil {
				t.Fatal(err)
			}
			if m.Bounds() != image.Rect(0, 0, 44, 44) {
				t.Errorf("%v: %v", i, m.Bounds())
			}
			opaque := 0
			for y := range 44 {
				for x := range 44 {
					c := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
					if c.R|c.G|c.B != 0 {
						t.Fatalf("%v: %v at %d,%d", i, c, x, y)
					}
					if c.A == 255 {
						opaque++
					}
				}
			}
			if opaque < 44*44/12 {
				t.Errorf("%v: %d opaque pixels", i, opaque)
			}
		}
	}
}

func FuzzDecodeRaw(f *testing.F) {
	good := Icon{}.Tray("linux")
	f.Add(good)
	f.Add(good[:rawHeader])
	f.Add(good[:5])
	f.Add([]byte(rawMagic + "\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeRaw(bytes.NewReader(data))
		if err != nil {
			return
		}
		s := m.(straightImage)
		if again := encodeRaw(s.NRGBA); !bytes.Equal(again, data[:len(again)]) {
			t.Error("reads otherwise than it was written")
		}
	})
}
