package icon

import (
	"math"
	"slices"

	"windsock/probe/sorted"
)

type point struct{ x, y float64 }

// A path is closed. All paths turn the same way, except for holes.
type path []point

// A shape is a set of paths that do not overlap, grown on all sides.
type shape interface {
	paths(grow float64) []path
}

type disc struct{ x, y, r float64 }

// A hull is the convex hull of its discs: a disc, a rounded line, a rounded rectangle,
// a rounded triangle.
type hull []disc

func (h hull) paths(grow float64) []path {
	const corners = 32
	var pts path
	for _, d := range h {
		r := d.r + grow
		if r <= 0 {
			pts = append(pts, point{d.x, d.y})
			continue
		}
		for i := range corners {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
			pts = append(pts, point{d.x + r*cos, d.y + r*sin})
		}
	}
	return []path{enclose(pts)}
}

// enclose is the convex hull, by Andrew's monotone chain.
func enclose(pts path) path {
	sorted.By(pts, func(a, b point) int {
		if a.x != b.x {
			return sign(a.x - b.x)
		}
		return sign(a.y - b.y)
	})
	half := func(pts path) path {
		var h path
		for _, p := range pts {
			for len(h) > 1 && cross(h[len(h)-2], h[len(h)-1], p) <= 0 {
				h = h[:len(h)-1]
			}
			h = append(h, p)
		}
		return h[:len(h)-1]
	}
	lower := half(pts)
	slices.Reverse(pts)
	return append(lower, half(pts)...)
}

func cross(o, a, b point) float64 {
	return (a.x-o.x)*(b.y-o.y) - (a.y-o.y)*(b.x-o.x)
}

func sign(v float64) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}

func line(x0, y0, x1, y1, width float64) hull {
	return hull{{x0, y0, width / 2}, {x1, y1, width / 2}}
}

func rect(x0, y0, x1, y1 float64) hull {
	return hull{{x0, y0, 0}, {x1, y0, 0}, {x1, y1, 0}, {x0, y1, 0}}
}

// A loop is a hull with a hole in it.
type loop struct{ outer, hole hull }

func (l loop) paths(grow float64) []path {
	out := l.outer.paths(grow)
	for _, d := range l.hole {
		if d.r > grow {
			hole := l.hole.paths(-grow)
			slices.Reverse(hole[0])
			return append(out, hole...)
		}
	}
	return out
}
