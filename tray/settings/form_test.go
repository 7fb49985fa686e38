package settings

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestForm(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	if err := os.WriteFile(f.Path, []byte("[usage]\ninterval = '90s'\nwork_days = ['mon']\n[api]\nport = 5000\n[log]\nlevel = 'loud'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := f.Form()
	key := func(name, comment, help, kind string, value, standard any) Key {
		return Key{Name: name, Comment: comment, Help: help, Kind: kind, Value: value, Default: standard}
	}
	chosen := func(k Key, choices ...string) Key {
		k.Choices = choices
		return k
	}
	empty := func(k Key, empty string) Key {
		k.Empty = empty
		return k
	}
	want := Form{
		Path: f.Path, Comments: true, Problem: `config.toml, line 7: log.level is "loud"; it takes debug, info, warn or error.`,
		Sections: []Section{
			{"usage", []Key{
				key("usage.interval", "How often.", "It takes a time from 1m to 60m, such as 5m.", "duration", "1m30s", "5m"),
				empty(chosen(key("usage.editor", "Whom.", "It takes vim, emacs; leave it empty for any of them.", "string", "", ""), "vim", "emacs", ""), "any of them"),
				chosen(key("usage.clock", "How.", "It takes auto, 12h or 24h.", "string", "auto", "auto"), "auto", "12h", "24h"),
				empty(key("usage.work_days", "When.", "It takes some of mon, tue and sat in a list; leave it empty for every day.", "list", []string{"mon"}, []string{}), "every day"),
			}},
			{"tray", []Key{
				key("tray.title", "Whether.", "It takes true or false.", "bool", true, true),
				empty(key("tray.left", "At how much.", "It takes a list of whole numbers from 1 to 99; leave it empty for none.", "list", []int{20, 5}, []int{20, 5}), "none"),
			}},
			{"api", []Key{
				key("api.enabled", "Whether.", "It takes true or false.", "bool", false, false),
				key("api.port", "Where.", "It takes a number from 1024 to 65535.", "int", 5000, 42100),
			}},
			{"log", []Key{
				chosen(key("log.level", "How much.", "It takes debug, info, warn or error.", "string", "info", "info"), "debug", "info", "warn", "error"),
			}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	tests := []struct{ name, key, value, want string }{
		{"fine", "usage.interval", `"2m"`, ""},
		{"fine_with_blanks", "usage.interval", `" 2m "`, ""},
		{"too_long", "usage.interval", `"2h"`, "It takes a time from 1m to 60m, such as 5m."},
		{"not_a_time", "usage.interval", `"soon"`, "It takes a time from 1m to 60m, such as 5m."},
		{"a_number", "usage.interval", `5`, "It takes a time from 1m to 60m, such as 5m."},
		{"unknown_name", "usage.editor", `"nano"`, "It takes vim, emacs; leave it empty for any of them."},
		{"number", "api.port", `5000`, ""},
		{"no_number", "api.port", `"many"`, "It takes a number from 1024 to 65535."},
		{"bool", "tray.title", `"yes"`, "It takes true or false."},
		{"null", "tray.title", `null`, "It takes true or false."},
		{"list", "tray.left", `[20,5]`, ""},
		{"list_of_words", "tray.left", `["x"]`, "It takes a list of whole numbers from 1 to 99; leave it empty for none."},
		{"out_of_range", "tray.left", `[100]`, "It takes a list of whole numbers from 1 to 99; leave it empty for none."},
		{"unknown", "usage.nothing", `1`, "There is no such setting."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := map[string]string{}
			if tt.want != "" {
				want[tt.key] = tt.want
			}
			values := map[string]json.RawMessage{tt.key: json.RawMessage(tt.value)}
			if diff := cmp.Diff(want, f.Check(values)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var refused *RefusedError
			if err := f.Fill(values, true); errors.As(err, &refused) != (tt.want != "") {
				t.Errorf("saved: %v", err)
			}
		})
	}
}

// A key that a page asks for in its own way is in the file, and in no form.
func TestFormLeavesKeysApart(t *testing.T) {
	t.Parallel()
	type section struct {
		Allow []string `comment:"What may be asked." empty:"nothing"  form:"none"  takes:"names" toml:"allow"`
		Every int      `comment:"How often."         takes:"a number" toml:"every"`
	}
	type all struct {
		Cloud section `toml:"cloud"`
	}
	f := File[all]{
		Path: filepath.Join(t.TempDir(), Name), Defaults: func() all { return all{Cloud: section{Allow: []string{}}} },
		Invalid: func(all) []string { return nil },
	}
	if err := f.Save(func(c *all) { c.Cloud.Allow = []string{"a@b"} }, false); err != nil {
		t.Fatal(err)
	}
	want := []Section{{"cloud", []Key{{Name: "cloud.every", Comment: "How often.", Help: "It takes a number.", Kind: "int", Value: 0, Default: 0}}}}
	if diff := cmp.Diff(want, f.Form().Sections); diff != "" {
		t.Errorf("form (-want +got):\n%s", diff)
	}
	err := f.Fill(map[string]json.RawMessage{"cloud.allow": json.RawMessage(`["c@d"]`), "cloud.every": json.RawMessage(`1`)}, true)
	refused, ok := errors.AsType[*RefusedError](err)
	if !ok {
		t.Fatalf("filled: %v", err)
	}
	if diff := cmp.Diff(map[string]string{"cloud.allow": "There is no such setting."}, refused.Sentences); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	if got, err := f.Load(); err != nil || !slices.Equal(got.Cloud.Allow, []string{"a@b"}) || got.Cloud.Every != 0 {
		t.Errorf("file: %+v, %v", got, err)
	}
}
