package icon

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"
)

var (
	everyBand = []Band{Unknown, OK, Low, Critical, Exhausted, Unlimited, Error, Extra}
	rimColour = Icon{}.colours().rim
)

// linear is the light of each value of a channel in sRGB, from 0 to 1.
var linear = func() (light [256]float64) {
	for v := range light {
		f := float64(v) / 255
		if f <= 0.04045 {
			light[v] = f / 12.92
		} else {
			light[v] = math.Pow((f+0.055)/1.055, 2.4)
		}
	}
	return light
}()

// luminance is relative luminance of WCAG 2: 0 for black, 1 for white.
func luminance(c color.NRGBA) float64 {
	return 0.2126*linear[c.R] + 0.7152*linear[c.G] + 0.0722*linear[c.B]
}

func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

func over(c, panel color.NRGBA) color.NRGBA {
	mix := func(a, b byte) byte {
		return byte((int(a)*int(c.A) + int(b)*(255-int(c.A)) + 127) / 255)
	}
	return color.NRGBA{mix(c.R, panel.R), mix(c.G, panel.G), mix(c.B, panel.B), 255}
}

// lightness is the eye's scale from 0 to 100, without hue.
func lightness(c color.NRGBA) float64 {
	y := luminance(c)
	if y <= 0.008856 {
		return 903.3 * y
	}
	return 116*math.Cbrt(y) - 16
}

// greys is the lightness of every pixel of a picture on a panel.
func greys(m *image.NRGBA, panel color.NRGBA) []float64 {
	var out []float64
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			out = append(out, lightness(over(m.NRGBAAt(x, y), panel)))
		}
	}
	return out
}

// differing counts the pixels that are clearly lighter or darker in one picture
// than in the other, as a share of a sixteenth by sixteenth.
func differing(a, b []float64) float64 {
	n := 0
	for i := range a {
		if math.Abs(a[i]-b[i]) > 25 {
			n++
		}
	}
	return float64(n) * 256 / float64(len(a))
}

// Any two bands differ without colour even at the same level, where the sock is the
// same and only the marks differ.
func TestBandsDifferInGrey(t *testing.T) {
	t.Parallel()
	const least = 9 // of 256
	tests := []struct {
		name  string
		drawn func(Icon, int) *image.NRGBA
		size  int
		panel color.NRGBA
	}{
		{"colour_16_dark", colour, 16, dark},
		{"colour_16_light", colour, 16, light},
		{"colour_22_dark", colour, 22, dark},
		{"colour_22_light", colour, 22, light},
		{"template_22", stencil, 22, light},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for level := range Steps + 1 {
				for _, stale := range []bool{false, true} {
					seen := map[Band][]float64{}
					for _, b := range everyBand {
						seen[b] = greys(test.drawn(Icon{b, level, stale, false}, test.size), test.panel)
						for other, grey := range seen {
							if got := differing(grey, seen[b]); other != b && got < least {
								t.Errorf("bands %d and %d at level %d, stale %v: %.1f of 256 pixels differ, want %d", b, other, level, stale, got, least)
							}
						}
					}
				}
			}
		})
	}
}

func TestAgeAndDemoDifferInGrey(t *testing.T) {
	t.Parallel()
	const least = 5 // of 256
	for _, s := range states {
		v := variants(s)
		for n := range v {
			for m := range n {
				for _, size := range []int{16, 22} {
					if got := differing(greys(v[n].Image(size), light), greys(v[m].Image(size), light)); got < least {
						t.Errorf("%v and %v at %d px: %.1f of 256 pixels differ, want %d", v[n], v[m], size, got, least)
					}
				}
			}
		}
	}
}

func TestMoreLeftShowsMore(t *testing.T) {
	t.Parallel()
	for _, size := range []int{16, 22, 24, 32, 48, 64} {
		last := -1.0
		for level := range Steps + 1 {
			m := Icon{Band: OK, Level: level}.Image(size)
			area := 0.0
			for y := range size {
				for x := size / 5; x < size; x++ { // right of the pole
					if c := m.NRGBAAt(x, y); int(c.G) > 0x90 {
						area += float64(c.A) / 255
					}
				}
			}
			if area <= last {
				t.Errorf("level %d at %d px: %.1f bright pixels, no more than the %.1f of the level below", level, size, area, last)
			}
			last = area
		}
	}
}

// On a light panel the rim is visible, on a dark one the part within it.
func TestSilhouetteStandsOut(t *testing.T) {
	t.Parallel()
	for _, s := range states {
		for _, i := range variants(s) {
			for _, size := range []int{16, 20, 22, 24, 32, 48} {
				m := i.Image(size)
				// In the middle of the scale nothing can stand out as well.
				for panel, least := range map[color.NRGBA]float64{white: 0.9, light: 0.9, grey: 0.7} {
					if got := edgeContrast(m, panel); got < least {
						t.Errorf("%v at %d px on %02x: %.0f %% of the edge stands out", i, size, panel.R, 100*got)
					}
				}
				for _, panel := range []color.NRGBA{black, dark} {
					if got := bodyContrast(m, panel); got < 0.6 {
						t.Errorf("%v at %d px on %02x: %.0f %% of the body stands out", i, size, panel.R, 100*got)
					}
				}
			}
		}
	}
}

// edgeContrast is the share of the panel's pixels beside the picture that have a pixel
// with a contrast of at least 3 to 1 within two pixels.
func edgeContrast(m *image.NRGBA, panel color.NRGBA) float64 {
	size := m.Rect.Dx()
	standsOut := make([]bool, size*size)
	for n := range standsOut {
		standsOut[n] = contrast(over(m.NRGBAAt(n%size, n/size), panel), panel) >= 3
	}
	around, good := 0, 0
	for y := -1; y <= m.Rect.Dy(); y++ {
		for x := -1; x <= m.Rect.Dx(); x++ {
			if drawnAt(m, x, y) || !drawnAt(m, x-1, y) && !drawnAt(m, x+1, y) && !drawnAt(m, x, y-1) && !drawnAt(m, x, y+1) {
				continue
			}
			around++
			for n := range 25 {
				p := image.Pt(x+n%5-2, y+n/5-2)
				if p.In(m.Rect) && standsOut[p.Y*size+p.X] {
					good++
					break
				}
			}
		}
	}
	return float64(good) / float64(around)
}

func drawnAt(m *image.NRGBA, x, y int) bool {
	return m.NRGBAAt(x, y).A >= 0x20
}

// A nearly empty sock is visible as a sock on a dark panel, down to its tip.
func TestLimpSockStandsOut(t *testing.T) {
	t.Parallel()
	for _, i := range []Icon{
		{Band: OK, Level: 3},
		{Band: Low, Level: 2},
		{Band: Low, Level: 1},
		{Band: Critical, Level: 1},
		{Band: Critical},
		{Band: Exhausted},
		{Band: Extra},
		{Band: Low, Level: 1, Stale: true},
		{Band: Exhausted, Stale: true},
	} {
		for _, size := range []int{16, 22, 24, 32} {
			for _, panel := range []color.NRGBA{black, dark} {
				if got := share(i.Image(size), panel, 3); got < 0.75 {
					t.Errorf("%v at %d px on %02x: %.0f %% of the body stands out", i, size, panel.R, 100*got)
				}
			}
		}
	}
}

// share is how much of the picture without the rim has that contrast against the
// panel.
func share(m *image.NRGBA, panel color.NRGBA, least float64) float64 {
	body, good := 0, 0
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			c := m.NRGBAAt(x, y)
			if c.A < 0xf0 || contrast(c, rimColour) < 1.6 { // the rim, and pixels that are half rim
				continue
			}
			body++
			if contrast(c, panel) >= least {
				good++
			}
		}
	}
	return float64(good) / float64(body)
}

// bodyContrast is the share of the pixels that are not the rim's with a
// contrast of at least 2 to 1 against the panel; 3 to 1 for the brightest third.
func bodyContrast(m *image.NRGBA, panel color.NRGBA) float64 {
	body, good, bright := 0, 0, 0
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			c := m.NRGBAAt(x, y)
			if c.A < 0xf0 || contrast(c, rimColour) < 1.3 {
				continue
			}
			body++
			r := contrast(over(c, panel), panel)
			if r >= 2 {
				good++
			}
			if r >= 3 {
				bright++
			}
		}
	}
	if 3*bright < body {
		return 0
	}
	return float64(good) / float64(body)
}

// Nothing is cut off: the whole rim lies between the bright pixels and the border.
func TestRimFits(t *testing.T) {
	t.Parallel()
	all := states
	for level := range Steps + 1 {
		all = append(all, Icon{Band: OK, Level: level})
	}
	sizes := []int{36, 40, 44, 48, 55, maxSize}
	for size := minSize; size < 34; size++ {
		sizes = append(sizes, size)
	}
	for _, size := range sizes {
		for _, s := range all {
			for _, i := range []Icon{s, {s.Band, s.Level, true, true}} {
				if at, ok := brightBorder(i.Image(size)); ok {
					t.Errorf("%v at %d px: no rim left at %v", i, size, at)
				}
			}
		}
	}
}

func brightBorder(m *image.NRGBA) (image.Point, bool) {
	size := m.Rect.Dx()
	rim := 1
	if size >= smooth {
		rim = 2
	}
	inner := m.Rect.Inset(rim)
	for y := range size {
		for x := range size {
			if p := image.Pt(x, y); !p.In(inner) {
				if c := m.NRGBAAt(x, y); c.A > 0x20 && max(c.R, c.G, c.B) > 0x40 {
					return p, true
				}
			}
		}
	}
	return image.Point{}, false
}

func BenchmarkImage(b *testing.B) {
	for _, size := range []int{16, 48, 64} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Icon{Band: Low, Level: 2, Stale: true, Demo: true}.Image(size)
			}
		})
	}
}

func BenchmarkICO(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		encodeICO(Icon{Band: OK, Level: 7})
	}
}
