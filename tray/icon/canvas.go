package icon

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

// A canvas is painted in units of a sixteenth of its side, at every size.
type canvas struct {
	size int
	unit float64   // pixels in a unit
	pix  []float32 // red, green, blue, alpha: premultiplied, 0 to 1
	ras  vector.Rasterizer
	one  *image.Alpha // cover of one shape
	all  *image.Alpha // cover of a layer
}

func newCanvas(size int) *canvas {
	r := image.Rect(0, 0, size, size)
	return &canvas{
		size: size,
		unit: float64(size) / 16,
		pix:  make([]float32, 4*size*size),
		one:  image.NewAlpha(r),
		all:  image.NewAlpha(r),
	}
}

// grid is the spacing of edges, in pixels. Large pictures are often shown at half size
// (Windows uses the one of 32 pixels for 16, a Linux panel that of 48 for 24), so they
// use whole pixels of that size.
func (c *canvas) grid() float64 {
	if c.size < smooth {
		return 1
	}
	return 2
}

// snap moves a coordinate in units to the nearest line of the grid.
func (c *canvas) snap(v float64) float64 {
	line := c.grid() / c.unit
	return math.Round(v/line) * line
}

// width is a width in units of whole lines of the grid, one at least.
func (c *canvas) width(v float64) float64 {
	return max(c.snap(v), c.grid()/c.unit)
}

// lay paints the union of the shapes, each grown by grow units.
func (c *canvas) lay(ink color.NRGBA, grow float64, shapes ...shape) {
	clear(c.all.Pix)
	for _, s := range shapes {
		c.ras.Reset(c.size, c.size)
		for _, p := range s.paths(grow) {
			c.trace(p)
		}
		c.ras.DrawOp = draw.Src
		c.ras.Draw(c.one, c.one.Rect, image.Opaque, image.Point{})
		// The greater cover, not the sum: the sum would be a stair where edges of two
		// shapes run side by side.
		for i, v := range c.one.Pix {
			c.all.Pix[i] = max(c.all.Pix[i], v)
		}
	}
	c.blend(ink)
}

func (c *canvas) trace(p path) {
	for i, q := range p {
		x, y := float32(q.x*c.unit), float32(q.y*c.unit)
		if i == 0 {
			c.ras.MoveTo(x, y)
		} else {
			c.ras.LineTo(x, y)
		}
	}
	c.ras.ClosePath()
}

// blend replaces what lies below by the ink, so that a clear ink erases.
func (c *canvas) blend(ink color.NRGBA) {
	a := float32(ink.A) / 255
	src := [4]float32{float32(ink.R) / 255 * a, float32(ink.G) / 255 * a, float32(ink.B) / 255 * a, a}
	for i, cover := range c.all.Pix {
		if cover == 0 {
			continue
		}
		m := float32(cover) / 255
		px := c.pix[4*i : 4*i+4]
		for j := range px {
			px[j] += (src[j] - px[j]) * m
		}
	}
}

func (c *canvas) image() *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, c.size, c.size))
	for i := 0; i < len(c.pix); i += 4 {
		a := c.pix[i+3]
		out := m.Pix[i : i+4]
		out[3] = byte(a*255 + 0.5)
		if out[3] == 0 {
			continue
		}
		for j := range 3 {
			out[j] = byte(min(c.pix[i+j]/a, 1)*255 + 0.5)
		}
	}
	return m
}
