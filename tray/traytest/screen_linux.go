package traytest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Screen is the current screen, without the pointer.
func (d *Desktop) Screen(tb testing.TB) *image.NRGBA {
	tb.Helper()
	data, err := os.ReadFile(d.framebuffer)
	if err != nil {
		tb.Fatalf("read the screen: %v", err)
	}
	screen, err := decodeXWD(data)
	if err != nil {
		tb.Fatalf("read the screen: %v", err)
	}
	return screen
}

// decodeXWD reads a picture in the X window dump format, version 7, in the only
// variant that Xvfb writes: 32 bits a pixel, blue first.
func decodeXWD(data []byte) (*image.NRGBA, error) {
	var header struct {
		HeaderSize, Version, Format, Depth, Width, Height, _, ByteOrder, _, _, _ uint32
		BitsPerPixel, BytesPerLine, _, Red, Green, Blue, _, _, Colours           uint32
	}
	if _, err := binary.Decode(data, binary.BigEndian, &header); err != nil {
		return nil, err
	}
	h := header
	if h.Version != 7 || h.Format != 2 || h.ByteOrder != 0 || h.BitsPerPixel != 32 || h.Red != 0xff0000 || h.Green != 0xff00 || h.Blue != 0xff {
		return nil, errors.New("not a true-colour window dump")
	}
	const colourSize = 12
	at := uint64(h.HeaderSize) + uint64(h.Colours)*colourSize
	if at+uint64(h.BytesPerLine)*uint64(h.Height) > uint64(len(data)) {
		return nil, errors.New("a window dump that is cut off")
	}
	screen := image.NewNRGBA(image.Rect(0, 0, int(h.Width), int(h.Height)))
	for y := range int(h.Height) {
		line := data[at+uint64(y)*uint64(h.BytesPerLine):]
		row := screen.Pix[y*screen.Stride : (y+1)*screen.Stride]
		for x := 0; x < len(row); x += 4 {
			row[x], row[x+1], row[x+2], row[x+3] = line[x+2], line[x+1], line[x], 0xff
		}
	}
	return screen, nil
}

// stillness is how long the screen has to stay unchanged to count as drawn.
const stillness = 150 * time.Millisecond

// Still waits until nothing moves on the screen, and returns it.
func (d *Desktop) Still(tb testing.TB) *image.NRGBA {
	tb.Helper()
	var last *image.NRGBA
	var since time.Time
	wait(tb, "see the screen stand still", func() (bool, string) {
		screen := d.Screen(tb)
		if last == nil || !bytes.Equal(screen.Pix, last.Pix) {
			last, since = screen, time.Now()
		}
		return time.Since(since) >= stillness, "it keeps changing"
	})
	return last
}

// Screenshot waits until nothing moves, and saves the screen as name.png; see [Save].
func (d *Desktop) Screenshot(tb testing.TB, name string) *image.NRGBA {
	tb.Helper()
	screen := d.Still(tb)
	Save(tb, name, screen)
	return screen
}

// Save saves a picture as name.png and logs its path. The directory is
// WINDSOCK_SCREENSHOTS of the environment, else that of the test's artifacts (go test
// -artifacts).
func Save(tb testing.TB, name string, picture image.Image) {
	tb.Helper()
	dir := os.Getenv("WINDSOCK_SCREENSHOTS")
	if dir == "" {
		dir = tb.ArtifactDir()
	} else if err := os.MkdirAll(dir, 0o750); err != nil { //nolint:gosec // where the developer wants them
		tb.Fatal(err)
	}
	var data bytes.Buffer
	if err := png.Encode(&data, picture); err != nil {
		tb.Fatalf("encode %s.png: %v", name, err)
	}
	path := filepath.Join(dir, name+".png")
	if err := os.WriteFile(path, data.Bytes(), 0o600); err != nil { //nolint:gosec // as above
		tb.Fatal(err)
	}
	tb.Log("screenshot: " + path)
}

// Crop copies a part of a picture.
func Crop(picture image.Image, part image.Rectangle) *image.NRGBA {
	part = part.Intersect(picture.Bounds())
	cropped := image.NewNRGBA(image.Rectangle{Max: part.Size()})
	draw.Draw(cropped, cropped.Bounds(), picture, part.Min, draw.Src)
	return cropped
}

// Changed is the smallest rectangle around all pixels that differ between two pictures
// of the same size. It is empty for equal ones.
func Changed(before, after *image.NRGBA) image.Rectangle {
	var changed image.Rectangle
	for y := range before.Rect.Dy() {
		from, to := y*before.Stride, (y+1)*before.Stride
		a, b := before.Pix[from:to], after.Pix[from:to]
		if bytes.Equal(a, b) {
			continue
		}
		first := 0
		for a[first] == b[first] {
			first++
		}
		last := len(a) - 1
		for a[last] == b[last] {
			last--
		}
		changed = changed.Union(image.Rect(first/4, y, last/4+1, y+1))
	}
	return changed
}
