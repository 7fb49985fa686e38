package desktop

import (
	"bytes"
	"os"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/windows/registry"
)

// TestToastEntry is about an entry of the test's own.
func TestToastEntry(t *testing.T) {
	path := `Software\windsock-test-toast-` + strconv.Itoa(os.Getpid())
	t.Cleanup(func() { _ = registry.DeleteKey(registry.CURRENT_USER, path) })
	for _, picture := range []string{`C:\old.png`, `C:\new.png`} {
		if err := writeToastEntry(path, picture); err != nil {
			t.Fatal(err)
		}
		key, err := registry.OpenKey(registry.CURRENT_USER, path, registry.QUERY_VALUE)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, name := range []string{"DisplayName", "IconUri"} {
			if got[name], _, err = key.GetStringValue(name); err != nil {
				t.Error(name, err)
			}
		}
		_ = key.Close()
		if diff := cmp.Diff(map[string]string{"DisplayName": "Windsock", "IconUri": picture}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestToastPicture: the file is there, whatever was before.
func TestToastPicture(t *testing.T) {
	t.Setenv("LocalAppData", t.TempDir())
	for range 2 {
		file, err := writeToastPicture("windsock.png", AppIcon)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, AppIcon.PNG(notifyIconSize)) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if err := os.WriteFile(file, []byte("torn"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
