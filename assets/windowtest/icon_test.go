package windowtest

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"windsock/assets"
	"windsock/probe/probetest"
	"windsock/tray/icon"
)

// TestIcon compares the page's icon with the tray's, which it copies: the page
// consists of files only, and its server knows nothing of the tray.
func TestIcon(t *testing.T) {
	t.Parallel()
	const size = 64
	full := icon.Icon{Band: icon.OK, Level: icon.Steps}
	if probetest.Update() {
		if err := os.WriteFile(filepath.Join("..", "window", "icon.png"), full.PNG(size), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	file, err := assets.Window.Open("icon.png")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(full.PNG(size)))
	if err != nil {
		t.Fatal(err)
	}
	if got.Bounds() != want.Bounds() {
		t.Fatalf("%v, want %v", got.Bounds(), want.Bounds())
	}
	for y := range size {
		for x := range size {
			// Processors that fuse multiplication and addition round otherwise.
			const apart = 3 << 8
			r, g, b, a := got.At(x, y).RGBA()
			wr, wg, wb, wa := want.At(x, y).RGBA()
			if distance(r, wr) > apart || distance(g, wg) > apart || distance(b, wb) > apart || a != wa {
				t.Fatalf("the page's icon is another at %d,%d: go test ./assets/windowtest -run TestIcon -update", x, y)
			}
		}
	}
}

func distance(a, b uint32) uint32 { return max(a, b) - min(a, b) }
