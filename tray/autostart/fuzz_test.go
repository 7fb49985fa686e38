package autostart

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever a file holds, it is read without harm, comes back as it was, and takes a
// change of one key without a change of another.
func FuzzDesktopFile(f *testing.F) {
	f.Add([]byte(usersFile), "/usr/bin/windsock")
	f.Add([]byte("[Desktop Entry]\r\nHidden=1\r\n[Desktop Entry]\nHidden = true"), `a\ "b`)
	f.Add([]byte("K=v\n[x]\n=\n[Desktop Entry"), " \t\n")
	f.Fuzz(func(t *testing.T, content []byte, text string) {
		d := parseDesktopFile(content)
		if !bytes.Equal(d.bytes(), content) {
			t.Fatalf("%q comes back as %q", content, d.bytes())
		}
		_ = d.command([]string{"GNOME"})
		_ = d.plain(program{"/usr/bin/windsock", nil})
		if !d.isEntry() {
			return
		}
		name, _ := d.value("Name")
		d.set(keyTryExec, escapeString(text))
		got, ok := parseDesktopFile(d.bytes()).value(keyTryExec)
		if !ok || unescapeString(got) != text {
			t.Errorf("wrote %q, read %q", text, unescapeString(got))
		}
		d.remove(keyTryExec)
		if _, ok := d.value(keyTryExec); ok {
			t.Error("removed, and still there")
		}
		if after, _ := d.value("Name"); after != name {
			t.Errorf("another key changed from %q to %q", name, after)
		}
	})
}

// What is written is read back, by way of a whole file.
func FuzzExec(f *testing.F) {
	f.Add("/usr/bin/windsock", "tray")
	f.Add("/a b/%u\\\"$`'", "")
	f.Add("\n\t\r ", "%")
	f.Fuzz(func(t *testing.T, executable, arg string) {
		p := program{executable, []string{arg}}
		d, err := newDesktopFile(p)
		if err != nil || executable == "" {
			return
		}
		value, _ := parseDesktopFile(d.bytes()).value(keyExec)
		words, err := splitExec(value)
		if diff := cmp.Diff(desktopWords(p), words); diff != "" || err != nil {
			t.Errorf("%s: %v %s", value, err, diff)
		}
		if !d.plain(p) {
			t.Error("is not taken for our own")
		}
	})
}

func FuzzSplitExec(f *testing.F) {
	f.Add(`sh -c 'sleep 5; windsock' %U "a\\"b"`)
	f.Fuzz(func(_ *testing.T, value string) { _, _ = splitExec(value) })
}

// A property list that can be read can be written and read again, with the same
// values; and a program that is put into it is found there.
func FuzzPropertyList(f *testing.F) {
	f.Add([]byte(agent("<key>Label</key><string>x &amp; y</string><key>Nice</key><integer>5</integer>")), "/a <b> & c")
	f.Add([]byte(agent("<key>A</key><dict><key>B</key><array/></dict><!-- c -->")), "\r\n\t")
	f.Fuzz(func(t *testing.T, content []byte, executable string) {
		a, err := parsePropertyList(content)
		if err != nil {
			return
		}
		_ = agentCommand(a)
		again, err := parsePropertyList(a.bytes())
		if err != nil {
			t.Fatalf("%q cannot be read again: %v", a.bytes(), err)
		}
		if !bytes.Equal(a.bytes(), again.bytes()) {
			t.Fatalf("%q comes back as %q", a.bytes(), again.bytes())
		}
		if setAgentProgram(again, program{executable, nil}) != nil {
			return
		}
		got := parseAgent(t, string(again.bytes())).texts(keyArguments)
		if diff := cmp.Diff([]string{executable}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func FuzzCommandLine(f *testing.F) {
	f.Add(`C:\Program Files\windsock.exe`, `a\"b\\`)
	f.Add(`\\s\w`, "")
	f.Fuzz(func(t *testing.T, executable, arg string) {
		_ = splitCommandLine(executable)
		words := []string{executable, arg}
		line, err := joinCommandLine(words)
		if err != nil {
			return
		}
		if diff := cmp.Diff(words, splitCommandLine(line)); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
		if strings.ContainsRune(line, '\n') {
			t.Errorf("%q", line)
		}
	})
}
