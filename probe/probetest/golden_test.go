package probetest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// witness is a test whose failures are looked at.
type witness struct {
	testing.TB

	name string
	told string
}

func (w *witness) Name() string { return w.name }

func (w *witness) Errorf(format string, args ...any) { w.told += fmt.Sprintf(format, args...) }

func (w *witness) Fatal(args ...any) {
	w.told += fmt.Sprint(args...)
	runtime.Goexit()
}

// after is what w was told when do is done, or gave up.
func (w *witness) after(do func()) string {
	done := make(chan struct{})
	go func() { // ends with do
		defer close(done)
		do()
	}()
	<-done
	return w.told
}

func TestGolden(t *testing.T) {
	t.Chdir(t.TempDir())
	if Update() {
		t.Skip("-update is tried below")
	}
	tests := []struct {
		name, file, got string
		want            string
	}{
		{"same", "one\ntwo\n", "one\ntwo\n", ""},
		{"line_ends_of_windows", "one\r\ntwo\r\n", "one\ntwo\n", ""},
		{"line_ends_are_not_got_wrong", "one\n", "one\r\n", "below/a.txt (-want +got)"},
		{"differs", "one\n", "two\n", "below/a.txt (-want +got)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join("testdata", "below", "a.txt")
			if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			w := &witness{TB: t}
			got := w.after(func() { Golden(w, "below/a.txt", []byte(tt.got)) })
			if !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
				t.Errorf("says %q, want %q", got, tt.want)
			}
		})
	}
	w := &witness{TB: t}
	if w.after(func() { Golden(w, "missing.txt", nil) }) == "" {
		t.Error("a file that is not there is fine")
	}
}

func TestGoldenUpdate(t *testing.T) {
	t.Chdir(t.TempDir())
	before := *update
	t.Cleanup(func() { *update = before })
	*update = true
	Golden(t, "new/a.txt", []byte("one\n"))
	*update = false
	Golden(t, "new/a.txt", []byte("one\n"))
}
