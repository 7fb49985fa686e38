package app

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/tray/settings"
	"windsock/tray/window"
)

// TestPreferences: what the window is told of the file, and what of a save.
func TestPreferences(t *testing.T) {
	t.Parallel()
	p := preferences{
		file:   configAt(filepath.Join(t.TempDir(), settings.Name)),
		places: []window.Place{{What: "Log", Path: "windsock.log"}},
	}
	if err := os.WriteFile(p.file.Path, []byte("# mine\n[log]\nlevel = 'loud'\n[chat\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := p.Read()
	var names []string
	var level window.Preference
	for _, s := range got.Sections {
		names = append(names, s.Name)
		if s.Name == "log" {
			level = s.Keys[0]
		}
	}
	got.Sections = nil
	problem := "config.toml, line 3: log.level is \"loud\"; it takes debug, info, warn or error.\n" +
		"config.toml, line 4: from here on the file cannot be read: expected ']' to close table name."
	if diff := cmp.Diff(window.PreferencesDocument{Path: p.file.Path, Problem: &problem, Comments: true}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"usage", "tray", "alerts", "chat", "api", "log"}, names); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	want := window.Preference{
		Key: "log.level", Comment: "How much the log tells.", Takes: "debug, info, warn or error",
		Type: "string", Value: "info", Default: "info",
	}
	if diff := cmp.Diff(want, level); diff != "" {
		t.Errorf("a key (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]window.Place{{What: "Settings", Path: p.file.Path}, {What: "Log", Path: "windsock.log"}}, p.Places()); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}

	values := map[string]json.RawMessage{"log.level": json.RawMessage(`"debug"`)}
	if err := p.Save(values, false); !errors.Is(err, window.ErrComments) {
		t.Errorf("saved: %v", err)
	}
	if err := p.Save(values, true); err != nil {
		t.Error(err)
	}
	if c, err := p.file.Load(); err != nil || c.Log.Level != "debug" {
		t.Errorf("got %+v, %v", c, err)
	}
	values["api.port"] = json.RawMessage(`80`)
	err := p.Save(values, true)
	refused, ok := errors.AsType[*window.RefusedError](err)
	if !ok {
		t.Fatalf("saved: %v", err)
	}
	sentences := map[string]string{"api.port": "It takes a number from 1024 to 65535."}
	if diff := cmp.Diff(sentences, refused.Sentences); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(sentences, p.Check(values)); diff != "" {
		t.Errorf("checked (-want +got):\n%s", diff)
	}
}
