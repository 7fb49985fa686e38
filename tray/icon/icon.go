// Package icon draws the tray icon: a windsock that flies while much is left of
// the binding meter and hangs limp when nothing is. Every state has a shape of
// its own, colour only underlines it, and a rim keeps it legible on any panel.
package icon

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
)

// Band is the state of the binding meter.
type Band uint8

// The bands, each told from the others by shape alone.
const (
	Unknown   Band = iota // no figure: none yet, rolled over, being asked for
	OK                    // enough is left
	Low                   // little is left
	Critical              // next to nothing is left
	Exhausted             // nothing is left
	Unlimited             // nothing is counted
	Error                 // the figure is not available
	Extra                 // the plan is exhausted; prompts are paid from extra usage
)

// Steps is the number of levels above the empty one.
const Steps = 10

// The smallest and the largest picture of a tray in pixels.
const (
	minSize = 16
	maxSize = 64
)

// An Icon is one state of the tray icon. Different values may draw the same picture: a
// level counts only in the bands OK, Low and Critical.
type Icon struct {
	Band  Band
	Level int  // tenths of the binding meter that are left, 0 to Steps
	Stale bool // the figures are old
	Demo  bool // the figures are a simulator's
}

// String names the state, as "ok 9/10" or "unknown stale demo".
func (i Icon) String() string {
	i = i.normal()
	s := [...]string{
		Unknown: "unknown", OK: "ok", Low: "low", Critical: "critical",
		Exhausted: "exhausted", Unlimited: "unlimited", Error: "error",
		Extra: "extra",
	}[i.Band]
	if i.hasLevel() {
		s += fmt.Sprintf(" %d/%d", i.Level, Steps)
	}
	if i.Stale {
		s += " stale"
	}
	if i.Demo {
		s += " demo"
	}
	return s
}

// Image draws the icon in colour, of size by size pixels. A tray asks for 16 to 64,
// a launcher for up to 1024.
func (i Icon) Image(size int) *image.NRGBA {
	i = i.normal()
	return paint(i, size, i.colours())
}

// PNG is Image as a PNG file.
func (i Icon) PNG(size int) []byte { return encodePNG(i.Image(size)) }

// ICO is a Windows icon file of 16, 20, 24, 32, 48 and 64 pixels.
func (i Icon) ICO() []byte { return encodeICO(i) }

// Template is a PNG of 44 pixels in black and alpha only, which macOS tints to
// suit the menu bar.
func (i Icon) Template() []byte { return encodePNG(paint(i.normal(), templateSize, template())) }

// Tray is the icon in systray's format for an operating system, named as in
// runtime.GOOS.
func (i Icon) Tray(goos string) []byte {
	switch goos {
	case "windows":
		return i.ICO()
	case "darwin":
		return i.PNG(templateSize)
	default:
		return encodeRaw(i.Image(rawSize))
	}
}

// normal unifies values with the same picture: it limits the level to 0 to Steps where
// it counts, sets it to 0 elsewhere, and turns an invalid band into Unknown.
func (i Icon) normal() Icon {
	if i.Band > Extra {
		i.Band = Unknown
	}
	if i.hasLevel() {
		i.Level = min(max(i.Level, 0), Steps)
	} else {
		i.Level = 0
	}
	return i
}

func (i Icon) hasLevel() bool {
	return i.Band == OK || i.Band == Low || i.Band == Critical
}

const (
	// macOS shows 22 points, at two pixels a point.
	templateSize = 44
	// Panels show 22 or 24 pixels, or twice that on fine screens; 48 halves to whole
	// pixels for the commonest of them.
	rawSize = 48
)

func encodePNG(m image.Image) []byte {
	var b bytes.Buffer
	// A buffer accepts every write, and the encoder every NRGBA of limited size, so
	// there is no error.
	_ = png.Encode(&b, m)
	return b.Bytes()
}
