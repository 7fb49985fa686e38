package autostart

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// usersFile is an entry that a person has worked on.
const usersFile = `# mine
[Desktop Entry]
Type = Application
Name=Windsock
Name[de]=Windsack
Exec=/old/windsock --verbose
X-Delay=10
Hidden=true

Hidden=false
Exec=/older/windsock

[Desktop Action refresh]
Exec=windsock status
Hidden=true
`

func TestDesktopFileIsEditedInPlace(t *testing.T) {
	d := parseDesktopFile([]byte(usersFile))
	d.set("Exec", "/new/windsock")
	d.set("TryExec", "/new/windsock")
	d.set("Type", "Application")
	d.remove("Hidden")
	want := `# mine
[Desktop Entry]
Type=Application
Name=Windsock
Name[de]=Windsack
Exec=/new/windsock
X-Delay=10

TryExec=/new/windsock

[Desktop Action refresh]
Exec=windsock status
Hidden=true
`
	if diff := cmp.Diff(want, string(d.bytes())); diff != "" {
		t.Error(diff)
	}
}

// A group that is there twice is one; what is new goes into its first part.
func TestDesktopFileWithTheGroupTwice(t *testing.T) {
	d := parseDesktopFile([]byte("[Desktop Entry]\nA=1\n\n[X]\nA=2\n[Desktop Entry]\nB=3\n"))
	d.set("C", "4")
	d.set("B", "5")
	want := "[Desktop Entry]\nA=1\nC=4\n\n[X]\nA=2\n[Desktop Entry]\nB=5\n"
	if diff := cmp.Diff(want, string(d.bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestDesktopFileValue(t *testing.T) {
	for _, tt := range []struct {
		name, content, want string
		ok                  bool
	}{
		{"value", "[Desktop Entry]\nK=v\n", "v", true},
		{"white_space", "[Desktop Entry]\n K =  v \t\r\n", "v", true},
		{"no_new_line", "[Desktop Entry]\nK=v", "v", true},
		{"last_counts", "[Desktop Entry]\nK=v\nK=w\n", "w", true},
		{"empty", "[Desktop Entry]\nK=\n", "", true},
		{"equals_sign", "[Desktop Entry]\nK=a=b\n", "a=b", true},
		{"comment", "[Desktop Entry]\n#K=v\n", "", false},
		{"other_group", "[Desktop Action x]\nK=v\n", "", false},
		{"after_another_group", "[Desktop Entry]\n[X]\nK=v\n[Desktop Entry]\nK=w\n", "w", true},
		{"no_group", "K=v\n", "", false},
		{"localised", "[Desktop Entry]\nK[de]=v\n", "", false},
		{"other_case", "[Desktop Entry]\nk=v\n", "", false},
		{"no_value", "[Desktop Entry]\nK\n", "", false},
		{"nothing", "", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := parseDesktopFile([]byte(tt.content)).value("K")
			if got != tt.want || ok != tt.ok {
				t.Errorf("got %q, %t; want %q, %t", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestDesktopStrings(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "a b", "a b"},
		{"backslash", `a\nb`, `a\\nb`},
		{"control", "a\nb\tc\rd", `a\nb\tc\rd`},
		{"outer_spaces", "  a  ", `\s\sa\s\s`},
		{"only_spaces", "  ", `\s\s`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := escapeString(tt.text)
			if got != tt.want || unescapeString(got) != tt.text {
				t.Errorf("got %q, back %q; want %q", got, unescapeString(got), tt.want)
			}
		})
	}
}

func TestDesktopLists(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        []string
		written     string
	}{
		{"one", "GNOME;", []string{"GNOME"}, "GNOME;"},
		{"not_ended", "GNOME;KDE", []string{"GNOME", "KDE"}, "GNOME;KDE;"},
		{"semicolon", `a\;b;c;`, []string{"a;b", "c"}, `a\;b;c;`},
		{"backslash", `a\\;b;`, []string{`a\`, "b"}, `a\\;b;`},
		{"none", "", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := splitList(tt.value)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if written := joinList(got); written != tt.written {
				t.Errorf("written %q, want %q", written, tt.written)
			}
		})
	}
}
