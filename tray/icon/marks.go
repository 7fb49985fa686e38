package icon

import "image/color"

func (d *drawing) marks(i Icon) {
	switch i.Band {
	case OK:
	case Unknown:
		d.stamp(d.mark, d.dots(5, 11.5, 2, 3.5)...)
	case Low:
		d.stamp(d.mark, d.arrow(12, 10.8, 5.4, 3.4))
	case Critical:
		d.stamp(d.mark, d.box(11, 7.2, 2, 4.4), d.box(11, 12.6, 2, 2))
	case Exhausted:
		d.stamp(d.mark, line(10.6, 10.2, 14, 13.8, 1.7), line(10.6, 13.8, 14, 10.2, 1.7))
	case Extra:
		d.stamp(d.mark, d.plus(9.4, 9.4, 5.2, 1.5)...)
	case Unlimited:
		d.stamp(d.mark, infinity(9.6, 12.4, 4.4, 2.2)...)
	case Error:
		d.stamp(d.mark, line(4.2, 13.8, 13.6, 2.4, 1.9))
	}
	if i.Stale {
		x, y := 12.2, 12.2
		if i.Band != OK && i.Band != Error {
			x, y = 12.4, 3.5
		}
		d.clock(x, y)
	}
	if i.Demo {
		left, low := d.rimWidth, 16-d.rimWidth
		d.stamp(d.demo, hull{{left, low - 4, 0}, {left, low, 0}, {left + 4, low, 0}})
	}
}

// box is a rectangle with its edges on the grid, or at the border's rim if the
// grid would push it there.
func (d *drawing) box(x, y, w, h float64) hull {
	w, h = d.width(w), d.width(h)
	x, y = min(d.snap(x), 16-w-d.rimWidth), min(d.snap(y), 16-h-d.rimWidth)
	return rect(x, y, x+w, y+h)
}

// plus has its arms on the grid, at each side of a middle as wide as they are.
func (d *drawing) plus(x, y, long, wide float64) []shape {
	wide = d.width(wide)
	arm := d.width((long - wide) / 2)
	long = wide + 2*arm
	x, y = min(d.snap(x), 16-long-d.rimWidth), min(d.snap(y), 16-long-d.rimWidth)
	return []shape{rect(x, y+arm, x+long, y+arm+wide), rect(x+arm, y, x+arm+wide, y+long)}
}

// dots are three on the grid; too small to be round they are square.
func (d *drawing) dots(x, y, w, pitch float64) []shape {
	x, y, w, pitch = d.snap(x), d.snap(y), d.width(w), d.width(pitch)
	var s []shape
	for range 3 {
		if d.size < smooth {
			s = append(s, rect(x, y, x+w, y+w))
		} else {
			s = append(s, hull{{x + w/2, y + w/2, w / 2}})
		}
		x += pitch
	}
	return s
}

// arrow points down and has its middle at x.
func (d *drawing) arrow(x, y, w, h float64) hull {
	const r = 0.35
	b := d.box(x-w/2, y, w, h)
	x0, y0, x1, y1 := b[0].x, b[0].y, b[2].x, b[2].y
	return hull{{x0 + r, y0 + r, r}, {x1 - r, y0 + r, r}, {(x0 + x1) / 2, y1 - r, r}}
}

// infinity is two drops that touch at (x, y).
func infinity(x, y, w, r float64) []shape {
	const line = 1.35
	drop := func(side float64) loop {
		far := x + side*(w-r)
		return loop{
			outer: hull{{far, y, r}, {x, y, line * 0.6}},
			hole:  hull{{far, y, r - line}, {x + side*line*0.75, y, 0}},
		}
	}
	return []shape{drop(-1), drop(1)}
}

func (d *drawing) clock(x, y float64) {
	const r = 2.6
	hand := d.width(0.9)
	x, y = d.snap(x-hand/2)+hand/2, d.snap(y-hand/2)+hand/2
	x, y = min(x, 16-r-d.rimWidth), min(max(y, r+d.rimWidth), 16-r-d.rimWidth)
	d.stamp(d.pole, hull{{x, y, r}})
	d.lay(d.rim, 0, line(x, y, x, y-1.5, hand), line(x, y, x+1.2, y, hand))
}

// stamp paints a mark over the sock, with a rim of its own.
func (d *drawing) stamp(ink color.NRGBA, shapes ...shape) {
	d.lay(d.rim, d.rimWidth, shapes...)
	d.lay(ink, 0, shapes...)
}
