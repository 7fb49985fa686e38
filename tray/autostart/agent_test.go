package autostart

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewAgent(t *testing.T) {
	for _, tt := range []struct {
		name    string
		program program
	}{
		{"bundle.plist", program{"/Applications/Windsock.app/Contents/MacOS/windsock", nil}},
		{"arguments.plist", program{"/usr/local/bin/windsock", []string{"tray", "--name", "a b"}}},
		{"every_special_character.plist", program{"/Users/me/<b> & \"c\" 'd' ]]>\t\n/windsock", nil}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := newAgent(tt.program)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name, a.bytes())
			back, err := parsePropertyList(a.bytes())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.program.words(), agentCommand(back)); diff != "" {
				t.Errorf("read back: %s", diff)
			}
			if !plainAgent(back, tt.program) {
				t.Error("is not taken for our own")
			}
		})
	}
}

func TestNewAgentRefuses(t *testing.T) {
	for _, path := range []string{"/Users/\x01/windsock", "/Users/\xff/windsock", "/Users/\uffff/windsock"} {
		_, err := newAgent(program{path, nil})
		if got := tell(t, err).Error; got != "write autostart entry: it is not plain text" {
			t.Errorf("%q: %s", path, got)
		}
	}
}

// agent is the text of a property list.
func agent(items string) string { return plistHead + items + plistFoot }

func parseAgent(t *testing.T, content string) *propertyList {
	t.Helper()
	a, err := parsePropertyList([]byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAgentCommand(t *testing.T) {
	const (
		label = "<key>Label</key><string>x</string>"
		args  = "<key>ProgramArguments</key><array><string>/a</string><!-- ! --><string>b</string></array>"
		load  = "<key>RunAtLoad</key><true/>"
	)
	for _, tt := range []struct {
		name, items string
		want        []string
	}{
		{"enough", label + args + load, []string{"/a", "b"}},
		{"no_label", args + load, nil},
		{"not_at_load", label + args, nil},
		{"at_load_false", label + args + "<key>RunAtLoad</key><false/>", nil},
		{"disabled", label + args + load + "<key>Disabled</key><true/>", nil},
		{"not_disabled", label + args + load + "<key>Disabled</key><false/>", []string{"/a", "b"}},
		{"last_counts", label + args + load + "<key>RunAtLoad</key><false/>", nil},
		{"program", label + args + load + "<key>Program</key><string>/p</string>", []string{"/p", "b"}},
		{"program_alone", label + load + "<key>Program</key><string>/p</string>", []string{"/p"}},
		{"in_aqua", label + args + load + "<key>LimitLoadToSessionType</key><array><string>Background</string><string>Aqua</string></array>", []string{"/a", "b"}},
		{"not_in_aqua", label + args + load + "<key>LimitLoadToSessionType</key><string>Background</string>", nil},
		{"nothing", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, agentCommand(parseAgent(t, agent(tt.items)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParsePropertyListRefuses(t *testing.T) {
	for _, tt := range []struct{ name, content string }{
		{"empty", ""},
		{"binary", "bplist00\xd1\x01\x02"},
		{"text", "Label"},
		{"other_root", "<dict></dict>"},
		{"array", "<plist><array></array></plist>"},
		{"cut", plistHead + "<key>Label</key>"},
		{"cut_in_value", plistHead + "<key>Label</key><string>x"},
		{"key_without_value", plistHead + "<key>Label</key>" + plistFoot},
		{"value_without_key", plistHead + "<true/>" + plistFoot},
		{"text_between", plistHead + "x" + plistFoot},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if p, err := parsePropertyList([]byte(tt.content)); err != errNotPlist { //nolint:errorlint // a parser's own
				t.Errorf("got %v, %v", p, err)
			}
		})
	}
}

// Switching on changes what keeps the agent from its work and nothing else.
func TestSwitchAgentOn(t *testing.T) {
	own := makeExecutable(t, "windsock.exe")
	p := program{own, []string{"tray"}}
	const users = "\t<key>EnvironmentVariables</key>\n\t<dict><key>A &amp; B</key><string>1</string></dict>\n"
	args := func(words ...string) string {
		return "\t<key>ProgramArguments</key>\n\t" + rawArray(words) + "\n"
	}
	item := func(key, raw string) string { return "\t<key>" + key + "</key>\n\t" + raw + "\n" }
	label, load := item("Label", "<string>x</string>"), item("RunAtLoad", "<true/>")
	for _, tt := range []struct{ name, before, then string }{
		{"moved", label + args("/old/windsock", "tray") + users + load, label + args(own, "tray") + users + load},
		{"own_arguments", label + args(own, "tray", "-v") + load, label + args(own, "tray", "-v") + load},
		{"disabled", label + item("Disabled", "<true/>") + args(own, "tray") + load + users, label + args(own, "tray") + load + users},
		{"not_at_load", label + args(own, "tray"), label + args(own, "tray") + load},
		{"not_in_aqua", label + args(own, "tray") + load + item("LimitLoadToSessionType", "<string>System</string>"), label + args(own, "tray") + load + item("LimitLoadToSessionType", "<string>Aqua</string>")},
		{"other_program", label + item("Program", "<string>/p</string>") + args(own, "tray") + load, label + args(own, "tray") + load},
		{"no_label", args(own, "tray") + load, args(own, "tray") + load + item("Label", "<string>windsock.autostart</string>")},
		{"twice", label + load + args("/a") + load + args("/b"), label + load + args(own, "tray")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := parseAgent(t, agent(tt.before))
			if err := switchAgentOn(a, p); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(agent(tt.then), string(a.bytes())); diff != "" {
				t.Error(diff)
			}
			if !p.runBy(agentCommand(a)) {
				t.Error("is not on")
			}
		})
	}
}

func TestPlainAgent(t *testing.T) {
	p := program{"/usr/local/bin/windsock", []string{"tray"}}
	a, err := newAgent(p)
	if err != nil {
		t.Fatal(err)
	}
	written := string(a.bytes())
	add := func(item string) string { return strings.Replace(written, "</dict>", item+"</dict>", 1) }
	for _, tt := range []struct {
		name, content string
		want          bool
	}{
		{"written", written, true},
		{"another_executable", strings.Replace(written, "/usr/local", "/old", 1), true},
		{"disabled", add("<key>Disabled</key><true/>"), true},
		{"added_key", add("<key>Nice</key><integer>5</integer>"), false},
		{"changed_value", strings.Replace(written, "Interactive", "Background", 1), false},
		{"added_argument", strings.Replace(written, "<string>tray</string>", "<string>tray</string><string>-v</string>", 1), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := plainAgent(parseAgent(t, tt.content), p); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}
