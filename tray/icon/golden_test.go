package icon

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"windsock/probe/probetest"
)

var sheets = flag.String("sheets", "", "also write magnified pictures of all states into this directory")

var (
	black = color.NRGBA{A: 255}
	dark  = color.NRGBA{0x2b, 0x2b, 0x2b, 255}
	grey  = color.NRGBA{0x80, 0x80, 0x80, 255}
	light = color.NRGBA{0xf0, 0xf0, 0xf0, 255}
	white = color.NRGBA{255, 255, 255, 255}
)

// states is every band at the levels worth a look, without the marks of age and
// demo; rows of a sheet have them plain, stale, demo and both.
var states = []Icon{
	{Band: OK, Level: 10},
	{Band: OK, Level: 8},
	{Band: OK, Level: 6},
	{Band: OK, Level: 5},
	{Band: OK, Level: 3},
	{Band: Low, Level: 2},
	{Band: Low, Level: 1},
	{Band: Critical, Level: 1},
	{Band: Critical, Level: 0},
	{Band: Exhausted},
	{Band: Unlimited},
	{Band: Unknown},
	{Band: Error},
	{Band: Extra},
}

func variants(i Icon) []Icon {
	return []Icon{
		i,
		{i.Band, i.Level, true, false},
		{i.Band, i.Level, false, true},
		{i.Band, i.Level, true, true},
	}
}

func TestGoldenSheets(t *testing.T) {
	t.Parallel()
	for _, size := range []int{16, 22, 32, 48} {
		t.Run(fmt.Sprintf("colour_%d", size), func(t *testing.T) {
			t.Parallel()
			golden(t, fmt.Sprintf("colour-%d.png", size), sheet(1, size, colour, dark, light))
		})
	}
	t.Run("template", func(t *testing.T) {
		t.Parallel()
		golden(t, "template.png", sheet(1, templateSize, stencil, light))
	})
}

func TestMagnifiedSheets(t *testing.T) {
	t.Parallel()
	if *sheets == "" {
		t.Skip("no -sheets directory given")
	}
	for _, size := range []int{16, 22, 24, 32, 48, 64} {
		for _, zoom := range []int{1, 4} {
			m := sheet(zoom, size, colour, dark, black, light, white, grey)
			write(t, filepath.Join(*sheets, fmt.Sprintf("colour-%d-x%d.png", size, zoom)), m)
		}
	}
	write(t, filepath.Join(*sheets, "template-x2.png"), sheet(2, templateSize, stencil, light))
}

func colour(i Icon, size int) *image.NRGBA  { return i.Image(size) }
func stencil(i Icon, size int) *image.NRGBA { return paint(i.normal(), size, template()) }

// sheet lays all states out, a row for each variant, below each other for each
// panel.
func sheet(zoom, size int, drawn func(Icon, int) *image.NRGBA, panels ...color.NRGBA) *image.NRGBA {
	cell := (size + 4) * zoom
	rows := len(variants(Icon{}))
	m := image.NewNRGBA(image.Rect(0, 0, cell*len(states), cell*rows*len(panels)))
	for p, panel := range panels {
		top := p * rows * cell
		draw.Draw(m, image.Rect(0, top, m.Rect.Dx(), top+rows*cell), image.NewUniform(panel), image.Point{}, draw.Src)
		for x, s := range states {
			for y, i := range variants(s) {
				at := image.Pt(x*cell+2*zoom, top+y*cell+2*zoom)
				draw.Draw(m, image.Rect(0, 0, size*zoom, size*zoom).Add(at), magnify(drawn(i, size), zoom), image.Point{}, draw.Over)
			}
		}
	}
	return m
}

func magnify(m *image.NRGBA, zoom int) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, m.Rect.Dx()*zoom, m.Rect.Dy()*zoom))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.SetNRGBA(x, y, m.NRGBAAt(x/zoom, y/zoom))
		}
	}
	return out
}

func golden(t *testing.T, name string, got *image.NRGBA) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if probetest.Update() {
		write(t, name, got)
		return
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if want.Bounds() != got.Rect {
		t.Fatalf("%v, want %v", got.Rect, want.Bounds())
	}
	for y := range got.Rect.Dy() {
		for x := range got.Rect.Dx() {
			g, w := got.NRGBAAt(x, y), color.NRGBAModel.Convert(want.At(x, y)).(color.NRGBA)
			// Processors that fuse multiplication and addition round otherwise.
			if apart(g.R, w.R) > 3 || apart(g.G, w.G) > 3 || apart(g.B, w.B) > 3 || g.A != w.A {
				t.Fatalf("%s: pixel %d,%d is %v, want %v", name, x, y, g, w)
			}
		}
	}
}

func apart(a, b byte) int {
	return max(int(a), int(b)) - min(int(a), int(b))
}

func write(t *testing.T, name string, m image.Image) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
