package browser

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
)

// The browser's start file lies where the browser can read it.
func TestFileDir(t *testing.T) {
	t.Parallel()
	const wanted = "/run/user/1000/windsock"
	tests := []struct {
		name, path, real string
		entry            string // of the default browser, where there is no path
		there            []string
		want             string
	}{
		{name: "program", path: "/usr/bin/chromium", real: "/usr/lib/chromium/chromium", want: wanted},
		{name: "missing", path: "/opt/browser", want: wanted},
		{name: "snap", path: "/snap/bin/chromium", real: "/usr/bin/snap", there: []string{"/home/u/snap/chromium/common"}, want: "/home/u/snap/chromium/common"},
		{name: "snap_elsewhere", path: "/var/lib/snapd/snap/bin/brave", real: "/usr/bin/snap", there: []string{"/home/u/snap/brave/common"}, want: "/home/u/snap/brave/common"},
		{name: "snap_application", path: "/snap/bin/chromium.beta", real: "/usr/bin/snap", there: []string{"/home/u/snap/chromium/common"}, want: "/home/u/snap/chromium/common"},
		{name: "snap_itself", path: "/snap/chromium/current/bin/chrome", real: "/snap/chromium/4/bin/chrome", want: ""},
		{name: "snap_that_never_ran", path: "/snap/bin/chromium", real: "/usr/bin/snap", want: ""},
		{
			name: "flatpak", path: "/var/lib/flatpak/exports/bin/com.brave.Browser", real: "/var/lib/flatpak/app/x",
			there: []string{"/home/u/.var/app/com.brave.Browser"}, want: "/home/u/.var/app/com.brave.Browser",
		},
		{name: "flatpak_that_never_ran", path: "/home/u/.local/share/flatpak/exports/bin/com.brave.Browser", want: ""},
		{name: "default", entry: "firefox.desktop", want: wanted},
		{name: "default_unknown", want: wanted},
		{name: "default_flatpak", entry: "org.mozilla.firefox.desktop", want: wanted},
		{name: "default_snap", entry: "firefox_firefox.desktop", there: []string{"/home/u/snap/firefox/common"}, want: "/home/u/snap/firefox/common"},
		{name: "default_snap_that_never_ran", entry: "firefox_firefox.desktop", want: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := system{
				home: "/home/u", real: func(string) string { return tt.real }, entry: func(context.Context) string { return tt.entry },
				there: func(path string) bool { return slices.Contains(tt.there, filepath.ToSlash(path)) },
			}
			got := s.defaultFileDir(t.Context(), wanted)
			if tt.path != "" {
				got = s.fileDir(tt.path, wanted)
			}
			if filepath.ToSlash(got) != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
