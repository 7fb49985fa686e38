//go:build !windows

package instance

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOwned(t *testing.T) {
	t.Parallel()
	own := t.TempDir()
	file := filepath.Join(own, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{own: true, file: false, filepath.Join(own, "missing"): false, "": false} {
		if got := Owned(path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chown(own, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if Owned(own) {
		t.Error("somebody else's directory is taken for one's own")
	}
}
