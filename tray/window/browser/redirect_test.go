package browser

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The file with the address is this account's alone, and few are ever there.
func TestRedirect(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	const address = "http://wabc.localhost:1/boot#TICKET"
	path, err := writeRedirect(dir, address)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), `location.replace("`+address+`")`) {
		t.Errorf("%v, %s", err, text)
	}
	for path, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", filepath.Base(path), info.Mode(), err)
		}
	}
	seen := map[string]bool{path: true}
	for range maxRedirects - 1 {
		next, err := writeRedirect(dir, address)
		if err != nil || seen[next] {
			t.Fatalf("%q again: %v", next, err)
		}
		seen[next] = true
	}
	if _, err := writeRedirect(dir, address); err == nil || strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "TICKET") {
		t.Errorf("one more: %v", err)
	}
	// The files of a killed process are removed.
	for path := range seen {
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-2*oldRedirect)); err != nil {
			t.Fatal(err)
		}
	}
	next, err := writeRedirect(dir, "http://new")
	left, _ := os.ReadDir(filepath.Dir(path))
	if err != nil || next != path || len(left) != 1 {
		t.Errorf("after a while: %q, %v, %v", next, err, left)
	}
	if text, _ := os.ReadFile(next); strings.Contains(string(text), "TICKET") {
		t.Errorf("the old address is there: %s", text)
	}
}

// A file or a link that lies there already is not written to.
func TestRedirectPlanted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a right of their own")
	}
	dir := t.TempDir()
	planted := redirectPath(filepath.Join(dir, "window"), 0)
	if err := os.Mkdir(filepath.Dir(planted), 0o700); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, "target")
	if err := os.Symlink(target, planted); err != nil {
		t.Fatal(err)
	}
	path, err := writeRedirect(dir, "http://address")
	if err != nil || path == planted {
		t.Errorf("%q, %v", path, err)
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("it was written through the link")
	}
}

// An address is text in the page, whatever it is.
func TestRedirectEscapes(t *testing.T) {
	t.Parallel()
	path, err := writeRedirect(t.TempDir(), `"</script><script>alert(1)//`)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || strings.Count(string(text), "<script>") != 1 || strings.Count(string(text), "</script>") != 1 {
		t.Errorf("%v, %s", err, text)
	}
}

func TestFileAddress(t *testing.T) {
	t.Parallel()
	path, want := "/run/a b/50%#?.html", "file:///run/a%20b/50%25%23%3F.html"
	if runtime.GOOS == "windows" {
		path, want = `C:\Users\A B\x.html`, "file:///C:/Users/A%20B/x.html"
	}
	if got := fileAddress(path); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
