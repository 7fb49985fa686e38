package e2e

import (
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"windsock/probe/simulator"
)

// TestImagesStayInMemory looks for what images have in them in all that is told and in all
// files, after prompts that were answered, refused and rejected.
func TestImagesStayInMemory(t *testing.T) {
	t.Parallel()
	const mark = "pixels of Grace Hopper's passport"
	d := newDesk(t)
	p := d.serve(simulator.Config{})
	config := filepath.Join(d.dir, "home", ".config", "windsock", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	replaceFile(t, config, "[log]\nlevel = \"debug\"\n")
	images := t.TempDir()
	file := func(name, text string) string {
		replaceFile(t, filepath.Join(images, name), text)
		return filepath.Join(images, name)
	}
	good, odd := file("a.gif", "GIF89a"+mark), file("b.gif", mark)
	large := file("c.gif", "GIF89a"+strings.Repeat(mark, 4<<20/len(mark)+1))
	var told strings.Builder
	for _, tt := range []struct {
		args []string
		code int
	}{
		{[]string{"ask", "-m", "claude-opus-4.5", "--image", good, "turn:markdown"}, 0},
		{[]string{"ask", "-m", "claude-opus-4.5", "--json", "--image", good, "turn:error_after_text"}, 1},
		{[]string{"ask", "-m", "swe-1.6", "--image", good, "hello"}, 2},
		{[]string{"ask", "--image", odd, "hello"}, 2},
		{[]string{"ask", "--image", large, "hello"}, 2},
	} {
		code, text := d.run(tt.args...)
		if code != tt.code {
			t.Errorf("%s: code %d, %s", tt.args[len(tt.args)-1], code, text)
		}
		told.WriteString(text)
	}
	cmd, out := d.command("serve", "--port", "42193")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	api := d.served()
	url := func(text string) string {
		return "data:image/gif;base64," + base64.StdEncoding.EncodeToString([]byte(text))
	}
	for _, tt := range []struct {
		model, turn, url string
		status           int
	}{
		{"claude-opus-4.5", "turn:markdown", url("GIF89a" + mark), http.StatusOK},
		{"claude-opus-4.5", "turn:error_after_text", url("GIF89a" + mark), http.StatusBadGateway},
		{"swe-1.6", "hello", url("GIF89a" + mark), http.StatusBadRequest},
		{"claude-opus-4.5", "hello", url(mark), http.StatusBadRequest},
		{"claude-opus-4.5", "hello", url(mark) + "!", http.StatusBadRequest},
		{"claude-opus-4.5", "hello", "https://example.com/" + strings.ReplaceAll(mark, " ", "-"), http.StatusBadRequest},
	} {
		r := api.request(t, http.MethodPost, "/chat/completions", fmt.Sprintf(
			`{"model":%q,"messages":[{"role":"user","content":[{"type":"text","text":%q},{"type":"image_url","image_url":{"url":%q}}]}]}`, tt.model, tt.turn, tt.url))
		text, err := io.ReadAll(r.Body)
		_ = r.Body.Close() // it is read
		if err != nil || r.StatusCode != tt.status {
			t.Errorf("%s: %s, %s, %v", tt.turn, r.Status, text, err)
		}
		told.Write(text)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // what it told counts
	told.WriteString(out.String())

	sent := 0
	for _, call := range p.Calls() {
		sent += call.Images
	}
	if violations := p.Violations(); sent != 4 || len(violations) > 0 {
		t.Errorf("%d images were sent; violations %q", sent, violations)
	}
	scanner := newScanner([]secret{{name: "image", text: mark}, {name: "path", text: images}})
	if !strings.Contains(told.String(), "/v1/chat/completions") {
		t.Errorf("the requests were not logged:\n%s", told.String())
	}
	if found := scanner.scan([]byte(told.String())); found != nil {
		t.Errorf("told %q:\n%.3000s", found, told.String())
	}
	err := filepath.WalkDir(filepath.Join(d.dir, "home"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		if found := scanner.scan(text); found != nil {
			t.Errorf("%s has in it %q", filepath.Base(name), found)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
