package app

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestSaveDiagnosis: the newest few stay, for this user only, and no other file in the
// directory is touched.
func TestSaveDiagnosis(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "windsock")
	at := time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)
	for range 7 {
		path, err := saveDiagnosis(dir, "all is well\n", at)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%v, mode %v", err, info.Mode())
		}
		if text, err := os.ReadFile(path); string(text) != "all is well\n" {
			t.Errorf("it has %q, %v", text, err)
		}
		if err := os.WriteFile(filepath.Join(dir, "diagnostics.md"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Hour)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	want := []string{
		"diagnostics-20260203-120000.txt", "diagnostics-20260203-130000.txt", "diagnostics-20260203-140000.txt",
		"diagnostics-20260203-150000.txt", "diagnostics-20260203-160000.txt", "diagnostics.md",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
