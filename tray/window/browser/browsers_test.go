package browser

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBrowsers(t *testing.T) {
	t.Parallel()
	const address = "http://127.0.0.1:1/boot#T"
	app := []string{"--app=" + address, "--window-size=760,700"}
	tests := []struct {
		name     string
		goos     string
		env      map[string]string
		programs []string // that are found by their names
		files    []string
		want     [][]string
	}{
		{
			name: "linux_order", goos: "linux", env: map[string]string{"DISPLAY": ":0"}, programs: []string{"vivaldi", "google-chrome", "chromium"},
			want: [][]string{
				append([]string{"/bin/chromium"}, append(app, "--class=windsock")...),
				append([]string{"/bin/google-chrome"}, append(app, "--class=windsock")...),
				append([]string{"/bin/vivaldi"}, append(app, "--class=windsock")...),
			},
		},
		{
			name: "flatpak", goos: "linux", env: map[string]string{"WAYLAND_DISPLAY": "wayland-0"},
			files: []string{"/home/u/.local/share/flatpak/exports/bin/com.brave.Browser", "/var/lib/flatpak/exports/bin/com.brave.Browser"},
			want:  [][]string{append([]string{"/home/u/.local/share/flatpak/exports/bin/com.brave.Browser"}, append(app, "--class=windsock")...)},
		},
		{
			name: "snap_before_its_script", goos: "linux", env: map[string]string{"DISPLAY": ":0"}, programs: []string{"chromium-browser", "/snap/bin/chromium"},
			want: [][]string{
				append([]string{"/bin//snap/bin/chromium"}, append(app, "--class=windsock")...),
				append([]string{"/bin/chromium-browser"}, append(app, "--class=windsock")...),
			},
		},
		{name: "no_screen", goos: "linux", programs: []string{"chromium"}},
		{name: "none", goos: "linux", env: map[string]string{"DISPLAY": ":0"}},
		{
			name: "named", goos: "linux", env: map[string]string{Variable: "/opt/My Chrome"}, programs: []string{"chromium"},
			want: [][]string{append([]string{"/opt/My Chrome"}, append(app, "--class=windsock")...)},
		},
		{
			name: "named_without_app_mode", goos: "linux", env: map[string]string{Variable: "firefox; rm -rf"},
			want: [][]string{{"firefox; rm -rf", address}},
		},
		{
			name: "mac", goos: "darwin", files: []string{"/Applications/Google Chrome.app", "/home/u/Applications/Vivaldi.app"},
			want: [][]string{
				append([]string{"open", "-na", "/Applications/Google Chrome.app", "--args"}, app...),
				append([]string{"open", "-na", "/home/u/Applications/Vivaldi.app", "--args"}, app...),
			},
		},
		{
			name: "mac_named", goos: "darwin", env: map[string]string{Variable: "/Applications/Brave Browser.app"},
			want: [][]string{append([]string{"open", "-na", "/Applications/Brave Browser.app", "--args"}, app...)},
		},
		{
			name: "windows", goos: "windows", files: []string{"msedge.exe", "chrome.exe"},
			want: [][]string{append([]string{`C:\chrome.exe`}, app...), append([]string{`C:\msedge.exe`}, app...)},
		},
		{
			name: "windows_named", goos: "windows", env: map[string]string{Variable: `C:\Program Files\Vivaldi\vivaldi.exe`},
			want: [][]string{append([]string{`C:\Program Files\Vivaldi\vivaldi.exe`}, app...)},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got [][]string
			for _, b := range browsers(system{
				goos: tt.goos, home: "/home/u", env: func(name string) string { return tt.env[name] },
				find: func(name string) string {
					if slices.Contains(tt.programs, name) {
						return "/bin/" + name
					}
					return ""
				},
				there: func(path string) bool { return slices.Contains(tt.files, filepath.ToSlash(path)) },
				appPath: func(program string) string {
					if slices.Contains(tt.files, program) {
						return `C:\` + program
					}
					return ""
				},
			}) {
				argv := b.argv(address)
				for i := range argv {
					if runtime.GOOS == "windows" && strings.HasPrefix(argv[i], `\`) {
						argv[i] = filepath.ToSlash(argv[i])
					}
				}
				got = append(got, argv)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Only Safari does not find a name below localhost by itself, which may be what
// macOS opens.
func TestByName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, goos, named string
		files             []string
		want              bool
	}{
		{"linux", "linux", "", nil, true},
		{"linux_named", "linux", "epiphany", nil, true},
		{"windows", "windows", "", nil, true},
		{"mac_default", "darwin", "", nil, false},
		{"mac_chrome", "darwin", "", []string{"/Applications/Google Chrome.app"}, true},
		{"mac_named", "darwin", "/Applications/Brave Browser.app", nil, true},
		{"mac_firefox", "darwin", "/Applications/Firefox.app", nil, true},
		{"mac_safari", "darwin", "/Applications/Safari.app", []string{"/Applications/Google Chrome.app"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := byName(system{
				goos: tt.goos, home: "/Users/u", env: func(string) string { return tt.named },
				there: func(path string) bool { return slices.Contains(tt.files, filepath.ToSlash(path)) },
			})
			if got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
