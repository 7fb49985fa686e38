package autostart

import (
	"strings"
	"testing"

	"windsock/probe/probetest"
)

func TestFormats(t *testing.T) {
	tests := []struct {
		golden     string
		format     fileFormat
		executable string
	}{
		{"plain.desktop", desktopFormat, "/usr/bin/windsock"},
		{"quoted.desktop", desktopFormat, "/home/jürgen's/~apps (new) & more/windsock"},
		{"bundle.plist", agentFormat, "/Applications/Windsock.app/Contents/MacOS/windsock"},
		{"escaped.plist", agentFormat, "/Users/me/<b> & \"c\"/windsock"},
	}
	for _, tt := range tests {
		t.Run(tt.golden, func(t *testing.T) {
			text, err := tt.format.write(tt.executable)
			if err != nil {
				t.Fatal(err)
			}
			probetest.Golden(t, tt.golden, []byte(text))
			if got := tt.format.command([]byte(text)); got != tt.executable {
				t.Errorf("read back: %q", got)
			}
		})
	}
}

func TestDesktopRefuses(t *testing.T) {
	for _, path := range []string{"/opt/a=b", "/opt/100%", "/opt/$HOME", `/opt/a\b`, `/opt/"a"`, "/opt/`id`", "/opt/a\nb", "/opt/\xff"} {
		if text, err := writeDesktop(path); err == nil {
			t.Errorf("%q is written: %s", path, text)
		} else {
			assertSays(t, err, "Move Windsock to a directory with a plain name")
		}
	}
}

func TestDesktopCommand(t *testing.T) {
	const exec = "Exec=windsock --headless\n"
	tests := []struct{ name, content, want string }{
		{"on", mainGroup + "\n" + exec, "windsock"},
		{"quoted", mainGroup + "\nExec=\"/my apps/windsock\" --headless\n", "/my apps/windsock"},
		{"other_line_ends", mainGroup + "\r\nExec = windsock\r\nHidden = false\r\n", "windsock"},
		{"hidden", mainGroup + "\n" + exec + "Hidden=true\n", ""},
		{"off_in_gnome", mainGroup + "\n" + exec + "X-GNOME-Autostart-enabled=false\n", ""},
		{"of_another_group", mainGroup + "\n" + exec + "[Desktop Action x]\nHidden=true\nExec=other\n", "windsock"},
		{"no_command", mainGroup + "\n", ""},
		{"no_entry", "Exec=windsock\n", ""},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := desktopCommand([]byte(tt.content)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAgentCommand(t *testing.T) {
	written, err := writeAgent("/a")
	if err != nil {
		t.Fatal(err)
	}
	with := func(items string) string { return strings.Replace(written, "</dict>", items+"</dict>", 1) }
	tests := []struct{ name, content, want string }{
		{"on", written, "/a"},
		{"of_the_users_shape", with("<key>Nice</key><integer>5</integer><key>Env</key><dict><key>Disabled</key><true/></dict>"), "/a"},
		{"disabled", with("<key>Disabled</key><true/>"), ""},
		{"not_disabled", with("<key>Disabled</key><false/>"), "/a"},
		{"binary", "bplist00\xd1\x01\x02", ""},
		{"cut", written[:len(written)/2], ""},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := agentCommand([]byte(tt.content)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
