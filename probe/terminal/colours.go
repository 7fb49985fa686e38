package terminal

import (
	"io"
	"os"

	"github.com/charmbracelet/colorprofile"
)

// Colours is a way to a stream that takes out the colours which the stream, or the
// person by the environment (NO_COLOR), does not want.
func Colours(out io.Writer, environ []string) io.Writer {
	if f, ok := out.(*os.File); ok {
		EnableANSI(f)
	}
	return colorprofile.NewWriter(out, environ)
}
