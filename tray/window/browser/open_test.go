package browser

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/tray/desktop"
)

// TestOpen starts an available browser, without a shell, and tries the next way after
// a failure. The address is in a file, and on no command line.
func TestOpen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the browsers are scripts")
	}
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const address = "http://wabc.localhost:1/boot#TICKET"
	note := `printf '%s ' "$@" "$XDG_ACTIVATION_TOKEN" >` + filepath.Join(dir, "args")
	hands := script("chromium-that-hands-over", note)
	fails := script("chromium-that-fails", "exit 3")
	snap := filepath.Join(dir, "home", "snap", "chromium", "common")
	file := "file://" + filepath.Join(dir, "run", "window", "windsock-1.html")
	blocks := func(ctx context.Context) error { // as xdg-open may, until the browser ends
		<-ctx.Done()
		return nil
	}
	tests := []struct {
		name, browser string
		screen        bool
		entry         string // of the default browser
		byDefault     func(context.Context) error
		blocks, print bool
		spoilt        bool // there is no directory for the file
		want          string
	}{
		{name: "browser", browser: hands, want: "args --app=" + file + " --window-size=760,700 --class=windsock token"},
		{name: "browser_without_a_file", browser: hands, spoilt: true, want: "args --app=" + address + " --window-size=760,700 --class=windsock token"},
		{name: "default", browser: fails, screen: true, want: "default " + file},
		{name: "default_that_blocks", browser: filepath.Join(dir, "missing"), screen: true, byDefault: blocks, blocks: true, want: "default " + file},
		{name: "default_in_a_snap", browser: fails, screen: true, entry: "chromium_chromium.desktop", want: "default file://" + filepath.Join(snap, "window", "windsock-1.html")},
		{name: "default_that_never_ran", browser: fails, screen: true, entry: "opera_opera.desktop", want: "default " + address},
		{name: "printed", browser: fails, screen: true, byDefault: func(context.Context) error { return errors.New("no browser") }, print: true, want: "printed " + address},
		{name: "no_screen", browser: fails, print: true, want: "printed " + address},
		{name: "nobody_reads", browser: filepath.Join(dir, "missing"), want: "open window: no screen"},
	}
	if err := os.MkdirAll(snap, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(Variable, tt.browser)
			t.Setenv("WAYLAND_DISPLAY", "")
			t.Setenv("DISPLAY", map[bool]string{true: ":0"}[tt.screen])
			t.Setenv("HOME", filepath.Join(dir, "home"))
			t.Setenv("PATH", filepath.Dir(script("xdg-settings", "echo '"+tt.entry+"'")))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var log strings.Builder
			shown := make(chan string, 2) // the last one counts
			o := Opener{
				Dir: filepath.Join(dir, "run"), startTime: time.Minute,
				Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
				Default: func(_ context.Context, address string) error {
					shown <- "default " + address
					if tt.byDefault != nil {
						return tt.byDefault(ctx)
					}
					return nil
				},
			}
			if tt.spoilt {
				o.Dir = hands // which is no directory
			}
			if tt.blocks {
				o.startTime = time.Second
			}
			if tt.print {
				o.Print = func(address string) { shown <- "printed " + address }
			}
			clearAway, err := o.Open(desktop.WithActivation(t.Context(), "token", ""), address)
			var got string
			switch {
			case err != nil:
				got = err.Error()
			case strings.HasPrefix(tt.want, "args"):
				args, _ := os.ReadFile(filepath.Join(dir, "args"))
				got = "args " + strings.TrimSpace(string(args))
			default:
				for got = <-shown; len(shown) > 0; {
					got = <-shown
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(log.String(), "TICKET") || strings.Contains(log.String(), dir) {
				t.Errorf("log:\n%s", log.String())
			}
			_, path, inFile := strings.Cut(got, "file://")
			path, _, _ = strings.Cut(path, " ")
			if inFile {
				if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), address) {
					t.Errorf("the file: %v, %s", err, text)
				}
			}
			if err == nil {
				clearAway()
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*", "window", "*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}
