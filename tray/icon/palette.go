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

func (i Icon) colours() palette {
	p := palette{
		rim:   rgb(0x14, 0x18, 0x1d),
		pole:  rgb(0xe9, 0xed, 0xf2),
		tint:  rgb(0xff, 0xff, 0xff),
		empty: rgb(0x5c, 0x66, 0x72),
		dim:   rgb(0x6c, 0x76, 0x83),
		demo:  rgb(0xb3, 0x9d, 0xff),
	}
	switch i.Band {
	case Low, Extra:
		p.fill, p.mark = rgb(0xff, 0xb0, 0x20), rgb(0xff, 0xc2, 0x4d)
	case Critical, Exhausted:
		p.fill, p.mark = rgb(0xff, 0x5a, 0x4f), rgb(0xff, 0x7a, 0x70)
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
		p.fill = rgb(0xaa, 0xb4, 0xc0)
		p.tint = rgb(0xdf, 0xe4, 0xea)
	}
	return p
}

// template is in black and alpha alone. The stripes that are gone are hollow,
// because a menu bar leaves nothing of a shade but its shape.
func template() palette {
	black := rgb(0, 0, 0)
	return palette{
		rim: color.NRGBA{}, pole: black, fill: black, tint: color.NRGBA{A: 130},
		mark: black, demo: black, hollow: true,
	}
}
