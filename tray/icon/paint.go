package icon

import (
	"image"
	"image/color"
)

// smooth is the size from which curves look better than straight edges on the pixel
// grid.
const smooth = 28

// A drawing puts the parts of the picture on a canvas, the lowest first.
type drawing struct {
	*canvas
	palette

	rimWidth float64
}

func paint(i Icon, size int, p palette) *image.NRGBA {
	c := newCanvas(size)
	d := drawing{canvas: c, palette: p, rimWidth: max(c.grid(), float64(size)/24) / c.unit}
	d.windsock(i)
	d.marks(i)
	return c.image()
}

func (d *drawing) windsock(i Icon) {
	left := d.snap(1.2)
	right := left + d.width(1.7)
	pole := rect(left, d.snap(1.2), right, d.snap(14.8))
	level := i.wind()
	bulge := 0.0
	if d.size >= smooth {
		bulge = 0.12
	}
	s := newSock(right, level, bulge)
	whole := piece{s, 0, 1}
	d.lay(d.rim, d.rimWidth, pole, whole)
	d.lay(d.pole, 0, pole)
	if i.Band == Unknown || i.Band == Error {
		d.outline(whole)
		return
	}
	if d.hollow {
		d.outline(whole)
	} else {
		d.stripes(s, level, 1, d.empty, d.dim)
	}
	d.stripes(s, 0, level, d.fill, d.tint)
}

func (d *drawing) outline(s shape) {
	d.lay(d.pole, 0, s)
	d.lay(d.rim, -d.width(1.1), s)
}

// stripes paints the stripes between from and to, in two inks by turns. Each continues
// below the next, so that nothing shines through at their soft edges.
func (d *drawing) stripes(s *sock, from, to float64, inks ...color.NRGBA) {
	for n := range bands {
		a := max(from, s.edge(n, d.canvas))
		if a < min(to, s.edge(n+1, d.canvas)) {
			d.lay(inks[n%len(inks)], 0, piece{s, a, to})
		}
	}
}

// wind is the share of the sock that flies. A band without a level flies entirely, and
// is hollow or has a mark.
func (i Icon) wind() float64 {
	switch {
	case i.hasLevel():
		return float64(i.Level) / Steps
	case i.Band == Exhausted || i.Band == Extra:
		return 0
	default:
		return 1
	}
}

// edge is where stripe n begins, on the canvas's grid when the sock flies.
func (s *sock) edge(n int, c *canvas) float64 {
	if n == bands {
		return 1
	}
	return c.snap(float64(n)/bands*s.length) / s.length
}
