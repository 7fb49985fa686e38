package icon

import "math"

// The windsock in units of a sixteenth of the icon's side.
const (
	sockTop   = 1.5  // upper edge of the mouth
	sockMouth = 4.0  // half the width of the mouth
	sockTip   = 2.1  // half the width of the other end
	sockEnd   = 14.1 // where it ends when it flies
	bands     = 5    // stripes
	bones     = 40   // straight pieces that the bent middle line is made of
)

// A sock is the cone from its mouth (0) to its tip (1) along a middle line. The wind
// carries the line as far as the level reaches; the rest falls.
type sock struct {
	spine  [bones + 1]point
	dir    [bones + 1]float64 // radians, 0 to the right, growing downwards
	length float64            // in units
	limp   float64            // 0 when blown up, 1 without any wind
	bulge  float64            // how far a stripe's edge bends out, in half widths
}

// newSock hangs a sock with the given share of it in the wind to a pole whose
// right edge is at x. The mouth is held upright by its frame, always.
func newSock(x, level, bulge float64) *sock {
	const supple = 0.35 // share of wind below which the cloth folds
	s := &sock{limp: max(0, 1-level/supple), bulge: bulge}
	s.length = (sockEnd - x) * (1 - 0.12*s.limp)
	fall := math.Pi / 2 * min(1, 1.5*(1-level)) // direction of the tip
	begin, end := 0.55*level, 1-0.4*s.limp      // where along the sock it bends
	at := point{x, sockTop + sockMouth}
	for i := range s.spine {
		bent := min(max((float64(i)/bones-begin)/(end-begin), 0), 1)
		s.dir[i] = fall * bent * bent * (3 - 2*bent)
		s.spine[i] = at
		sin, cos := math.Sincos(s.dir[i])
		at.x += cos * s.length / bones
		at.y += sin * s.length / bones
	}
	return s
}

// half is half the width at t: the cloth of a limp sock sags behind the mouth.
func (s *sock) half(t float64) float64 {
	return (sockMouth + (sockTip-sockMouth)*t) * (1 - 0.3*s.limp*min(1, max(0, t)*6))
}

// at is the point at t along the sock and w half widths to the right of the
// middle line, seen in the direction of the wind; grow widens the half width.
func (s *sock) at(t, w, grow float64) point {
	f := min(max(t, 0), 1) * bones
	i := min(int(f), bones-1)
	f -= float64(i)
	a, b := s.spine[i], s.spine[i+1]
	dir := s.dir[i] + (s.dir[i+1]-s.dir[i])*f
	sin, cos := math.Sincos(dir)
	half := s.half(t)
	side := w * (half + grow)
	along := (t - min(max(t, 0), 1)) * s.length
	along += s.bulge * half * (1 - w*w)
	return point{
		a.x + (b.x-a.x)*f + along*cos - side*sin,
		a.y + (b.y-a.y)*f + along*sin + side*cos,
	}
}

// A piece is the part of a sock between two places along it.
type piece struct {
	*sock

	from, to float64
}

func (p piece) paths(grow float64) []path {
	const along, across = 20, 8
	from, to := p.from-grow/p.length, p.to+grow/p.length
	out := make(path, 0, 2*(along+across))
	for i := range along {
		out = append(out, p.at(from+(to-from)*float64(i)/along, -1, grow))
	}
	for i := range across {
		out = append(out, p.at(to, -1+2*float64(i)/across, grow))
	}
	for i := range along {
		out = append(out, p.at(to+(from-to)*float64(i)/along, 1, grow))
	}
	for i := range across {
		out = append(out, p.at(from, 1-2*float64(i)/across, grow))
	}
	return []path{out}
}
