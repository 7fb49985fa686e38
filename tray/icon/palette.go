package icon

import "image/color"

// A palette has an ink for each part of the picture.
type palette struct {
	rim   color.NRGBA // around everything, so that no panel swallows it
	pole  color.NRGBA
	fill  color.NRGBA // stripes that are left
	tint  color.NRGBA // every other stripe of them
	empty color.NRGBA // stripes that are gone
	dim   color.NRGBA // every other stripe of them
	mark  color.NRGBA
	demo  color.NRGBA

	hollow bool // whether stripes that are gone are an outline only
}

func rgb(r, g, b byte) color.NRGBA {
	return color.NRGBA{R: r, G: g, B: b, A: 255}
}

// The lost part is still cloth: light enough for a black panel at 16 pixels, where
// little else of the sock is left, and dark enough beside the remaining part.
var gone, goneDim = rgb(0x76, 0x81, 0x8e), rgb(0x82, 0x8d, 0x9a)

func (i Icon) colours() palette {
	p := palette{
		rim:   rgb(0x14, 0x18, 0x1d),
		pole:  rgb(0xe9, 0xed, 0xf2),
		tint:  rgb(0xff, 0xff, 0xff),
		empty: gone,
		dim:   goneDim,
		demo:  rgb(0xb3, 0x9d, 0xff),
	}
	switch i.Band {
	case Low, Extra:
		p.fill, p.mark = rgb(0xff, 0xb0, 0x20), rgb(0xff, 0xc2, 0x4d)
		p.empty, p.dim = rgb(0xa8, 0x81, 0x3e), rgb(0xbb, 0x93, 0x4c)
	case Critical, Exhausted:
		p.fill, p.mark = rgb(0xff, 0x5a, 0x4f), rgb(0xff, 0x7a, 0x70)
		p.empty, p.dim = rgb(0xbc, 0x5c, 0x54), rgb(0xce, 0x6d, 0x64)
	case Unlimited:
		p.fill, p.mark = rgb(0x3f, 0xa9, 0xf5), rgb(0x7c, 0xc8, 0xff)
	case Unknown:
		p.fill, p.mark = rgb(0x9d, 0xb2, 0xc9), rgb(0x9d, 0xb2, 0xc9)
	case Error:
		p.fill, p.mark = rgb(0xff, 0x5a, 0x4f), rgb(0xff, 0x7a, 0x70)
	default:
		p.fill, p.mark = rgb(0x2e, 0xcc, 0x71), rgb(0xe9, 0xed, 0xf2)
	}
	if i.Stale {
		p.empty, p.dim = gone, goneDim
		p.fill = rgb(0xaa, 0xb4, 0xc0)
		p.tint = rgb(0xdf, 0xe4, 0xea)
	}
	return p
}

// template is in black and alpha only. The lost stripes are hollow, because a menu bar
// turns any shade into a plain shape.
func template() palette {
	black := rgb(0, 0, 0)
	return palette{
		rim: color.NRGBA{}, pole: black, fill: black, tint: color.NRGBA{A: 130},
		mark: black, demo: black, hollow: true,
	}
}
