package window

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOpen starts what is there for a browser, without a shell, and goes on to
// the next way where that fails.
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
	const address = "http://127.0.0.1:1/boot#TICKET"
	hands := script("chromium-that-hands-over", `printf '%s ' "$@" "$XDG_ACTIVATION_TOKEN" >`+filepath.Join(dir, "args"))
	fails := script("chromium-that-fails", "exit 3")
	tests := []struct {
		name, browser string
		screen        bool
		byDefault     error
		print         bool
		want          string
	}{
		{name: "browser", browser: hands, want: "args --app=" + address + " --window-size=760,700 --class=windsock token"},
		{name: "default", browser: fails, screen: true, want: "default " + address},
		{name: "printed", browser: fails, screen: true, byDefault: errors.New("no browser"), print: true, want: "printed " + address},
		{name: "no_screen", browser: fails, print: true, want: "printed " + address},
		{name: "nobody_reads", browser: filepath.Join(dir, "missing"), want: "open window: no screen"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(BrowserVariable, tt.browser)
			t.Setenv("WAYLAND_DISPLAY", "")
			t.Setenv("DISPLAY", map[bool]string{true: ":0"}[tt.screen])
			var log strings.Builder
			got := ""
			o := Opener{
				startTime: patience,
				Log:       slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
				Default: func(_ context.Context, address string) error {
					if tt.byDefault == nil {
						got = "default " + address
					}
					return tt.byDefault
				},
			}
			if tt.print {
				o.Print = func(address string) { got = "printed " + address }
			}
			err := o.Open(WithActivation(t.Context(), "token", ""), address)
			switch {
			case err != nil:
				got = err.Error()
			case got == "":
				args, _ := os.ReadFile(filepath.Join(dir, "args"))
				got = "args " + strings.TrimSpace(string(args))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(log.String(), "TICKET") || strings.Contains(log.String(), dir) {
				t.Errorf("log:\n%s", log.String())
			}
		})
	}
}
