//go:build graft

package icon

import "image"

// Large is Image without its bounds: a launcher shows the program's icon up to
// 1024 pixels wide, which no panel does.
func (i Icon) Large(size int) *image.NRGBA {
	i = i.normal()
	return paint(i, size, i.colours())
}
