package autostart

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewDesktopFile(t *testing.T) {
	for _, tt := range []struct {
		name    string
		program program
	}{
		{"plain.desktop", program{"/usr/bin/windsock", nil}},
		{"arguments.desktop", program{"/usr/bin/windsock", []string{"tray", "--name", "a b"}}},
		{"every_reserved_character.desktop", program{"/opt/100% \"a\" 'b' \\c $d `e` ~;&|<>*?#()/windsock", nil}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := newDesktopFile(tt.program)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name, d.bytes())
			value, _ := d.value(keyExec)
			words, err := splitExec(value)
			if diff := cmp.Diff(desktopWords(tt.program), words); diff != "" || err != nil {
				t.Errorf("read back: %v %s", err, diff)
			}
			if try, _ := d.value(keyTryExec); unescapeString(try) != tt.program.executable {
				t.Errorf("TryExec reads back as %q", try)
			}
			if !d.plain(tt.program) {
				t.Error("is not taken for our own")
			}
		})
	}
	golden(t, "mask.desktop", newMask().bytes())
}

// What an entry says about itself, on a desktop of two names.
func TestDesktopCommand(t *testing.T) {
	desktops := []string{"ubuntu", "GNOME"}
	windsock := []string{"windsock"}
	for _, tt := range []struct {
		name, lines string
		want        []string
	}{
		{"nothing_more", "", windsock},
		{"hidden", "Hidden=true", nil},
		{"hidden_by_number", "Hidden=1", nil},
		{"not_hidden", "Hidden=false", windsock},
		{"off_in_gnome", "X-GNOME-Autostart-enabled=false", nil},
		{"on_in_gnome", "X-GNOME-Autostart-enabled=true", windsock},
		{"only_elsewhere", "OnlyShowIn=KDE;XFCE;", nil},
		{"only_here", "OnlyShowIn=KDE;GNOME;", windsock},
		{"only_nowhere", "OnlyShowIn=", nil},
		{"not_here", "NotShowIn=GNOME;", nil},
		{"not_elsewhere", "NotShowIn=KDE;", windsock},
		{"first_name_decides_for", "OnlyShowIn=ubuntu;\nNotShowIn=GNOME;", windsock},
		{"first_name_decides_against", "OnlyShowIn=GNOME;\nNotShowIn=ubuntu;", nil},
		{"link", "Type=Link", nil},
		{"try_what_is_gone", "TryExec=/no/such/windsock", nil},
		{"empty_command", "Exec=", nil},
		{"broken_command", `Exec="windsock`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := parseDesktopFile([]byte("[Desktop Entry]\nType=Application\nExec=windsock\n" + tt.lines + "\n"))
			if diff := cmp.Diff(tt.want, d.command(desktops)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := parseDesktopFile([]byte("[Desktop Entry]\nExec=windsock\n")).command(nil); got != nil {
		t.Errorf("without a type: %q", got)
	}
}

// Switching on changes what keeps the entry from its work and nothing else.
func TestSwitchOn(t *testing.T) {
	own := makeExecutable(t, "windsock.exe")
	p := program{own, []string{"tray"}}
	command, err := quoteExec(p.words())
	if err != nil {
		t.Fatal(err)
	}
	exec := "Exec=" + command
	ours := exec + "\nTryExec=" + escapeString(own)
	for _, tt := range []struct {
		name         string
		desktops     []string
		before, then string
	}{
		{"moved", nil, "Exec=/old/windsock tray\nTryExec=/old/windsock", ours},
		{"moved_without_try", nil, "Exec=/old/windsock tray", ours},
		{"gone_try", nil, exec + "\nTryExec=/old/windsock", ours},
		{"other_arguments", nil, "Exec=" + strings.TrimSuffix(command, " tray"), ours},
		{"own_arguments", nil, exec + " --verbose\nX-Delay=3", exec + " --verbose\nX-Delay=3"},
		{"hidden", nil, exec + "\nHidden=true\nX-Delay=3", exec + "\nX-Delay=3"},
		{"off_in_gnome", nil, exec + "\nX-GNOME-Autostart-enabled=false", exec + "\nX-GNOME-Autostart-enabled=true"},
		{"only_elsewhere", []string{"ubuntu", "GNOME"}, exec + "\nOnlyShowIn=KDE;", exec + "\nOnlyShowIn=KDE;ubuntu;"},
		{"only_elsewhere_and_no_name", nil, exec + "\nOnlyShowIn=KDE;", exec},
		{"not_here", []string{"GNOME"}, exec + "\nNotShowIn=KDE;GNOME;", exec + "\nNotShowIn=KDE;"},
		{"not_here_alone", []string{"GNOME"}, exec + "\nNotShowIn=GNOME;", exec},
		{"both", []string{"a", "b"}, exec + "\nOnlyShowIn=b;\nNotShowIn=a;", exec + "\nOnlyShowIn=b;"},
		{"here", []string{"GNOME"}, exec + "\nOnlyShowIn=GNOME\nNotShowIn=KDE", exec + "\nOnlyShowIn=GNOME\nNotShowIn=KDE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const head = "[Desktop Entry]\nType=Application\nName=Mine\n"
			d := parseDesktopFile([]byte(head + tt.before + "\n"))
			if err := d.switchOn(p, tt.desktops); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(head+tt.then+"\n", string(d.bytes())); diff != "" {
				t.Error(diff)
			}
			if !p.runBy(d.command(tt.desktops)) {
				t.Error("is not on")
			}
		})
	}
}

func TestPlain(t *testing.T) {
	p := program{"/usr/bin/windsock", []string{"tray"}}
	d, err := newDesktopFile(p)
	if err != nil {
		t.Fatal(err)
	}
	written := string(d.bytes())
	for _, tt := range []struct {
		name, content string
		want          bool
	}{
		{"written", written, true},
		{"mask", string(newMask().bytes()), true},
		{"another_executable", strings.ReplaceAll(written, "/usr/bin", "/old"), true},
		{"percent_sign", strings.ReplaceAll(written, "/usr/bin", "/usr/bin/env /100%%"), true},
		{"handed_to_another", strings.ReplaceAll(written, "Exec=", "Exec=/usr/bin/env "), false},
		{"switched_off_by_a_desktop", written + "Hidden=true\n", true},
		{"added_key", written + "X-Delay=3\n", false},
		{"added_comment", written + "# mine\n", false},
		{"added_group", written + "[Desktop Action x]\n", false},
		{"renamed", strings.Replace(written, "Name=Windsock", "Name=Mine", 1), false},
		{"added_argument", strings.Replace(written, " tray", " tray --verbose", 1), false},
		{"line_of_no_kind", written + "Hidden\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := parseDesktopFile([]byte(tt.content)).plain(p); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}
