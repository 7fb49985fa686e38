package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat/window"
)

// TestSaveConfig: what a person has written stays as it is.
// Two saves at once are both kept.
func TestSaveConfigAtOnce(t *testing.T) {
	t.Parallel()
	for range 20 {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte("# mine\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var saving sync.WaitGroup
		for _, change := range []func(*config){
			func(c *config) { c.Usage.Clock = "12h" },
			func(c *config) { c.API.Enabled = true },
			func(c *config) { c.Tray.Title = !c.Tray.Title },
		} {
			saving.Go(func() {
				if err := saveConfig(path, change, false); err != nil {
					t.Error(err)
				}
			})
		}
		saving.Wait()
		c, err := loadConfig(path)
		if err != nil || c.Usage.Clock != "12h" || !c.API.Enabled || c.Tray.Title == defaultConfig().Tray.Title {
			t.Fatalf("got %+v, %v", c, err)
		}
	}
}

func TestSaveConfig(t *testing.T) {
	t.Parallel()
	const twelve = `{"usage.clock":"12h"}`
	tests := []struct {
		name, text, values string
		lose               bool
		want               string // of the file; "" is ErrComments
	}{
		{"in_place", "# mine\n[usage]\nclock = '24h' # why\ninterval='2m'\n", twelve, false, "# mine\n[usage]\nclock = \"12h\" # why\ninterval='2m'\n"},
		{"no_change", "[usage] # mine\nclock='12h'", twelve, false, "[usage] # mine\nclock='12h'"},
		{"of_init", "[usage]\n# How.\n#clock = \"auto\"\n# interval = \"5m\"\n", twelve, false, "[usage]\n# How.\nclock = \"12h\"\n# interval = \"5m\"\n"},
		{"prose_is_no_line_of_init", "[usage]\n# clock = is a word\n", twelve, false, "[usage]\nclock = \"12h\"\n# clock = is a word\n"},
		{"line_of_another_section", "[usage]\n[log]\n#clock = \"auto\"\n", twelve, false, "[usage]\nclock = \"12h\"\n[log]\n#clock = \"auto\"\n"},
		{"new_section", "# mine\n[log]\nlevel = 'warn'", twelve, false, "# mine\n[log]\nlevel = 'warn'\n\n[usage]\nclock = \"12h\"\n"},
		{"header_ends_the_file", "# mine\n[usage]", twelve, false, "# mine\n[usage]\nclock = \"12h\"\n"},
		{"windows_lines", "[usage]\r\n#clock = \"auto\"\r\n", twelve, false, "[usage]\r\nclock = \"12h\"\r\n"},
		{"byte_order_mark", "\ufeff[usage]\nclock='24h'\n", twelve, false, "\ufeff[usage]\nclock=\"12h\"\n"},
		{"dotted", "usage.clock = '24h' # mine\n", twelve, false, "usage.clock = \"12h\" # mine\n"},
		{"inline", "usage = {clock = '24h', interval = '2m'} # mine\n", twelve, false, "usage = {clock = \"12h\", interval = '2m'} # mine\n"},
		{"multi_line_list", "[alerts]\nthresholds = [\n 30,\n 5,\n]\n# mine\n", `{"alerts.thresholds":[10]}`, false, "[alerts]\nthresholds = [10]\n# mine\n"},
		{"comment_in_a_list", "[alerts]\nthresholds = [\n 30, # mine\n 5,\n]\n", `{"alerts.thresholds":[10]}`, false, ""},
		{"dotted_and_a_new_key", "usage.clock = '24h' # mine\n", `{"usage.interval":"2m"}`, false, ""},
		{"broken", "# mine\n[usage\n", twelve, false, ""},
		{"broken_without_comments", "[usage]\nclock='24h'\n[usage\n[log]\nlevel='warn'\n[api]\nport = 5000\n", twelve, false, ""},
		{"utf_16", "\xff\xfe[\x00u\x00", twelve, false, ""},
		{"wrong_value_is_mended", "# mine\n[usage]\nclock = 'never'\n", twelve, false, "# mine\n[usage]\nclock = \"12h\"\n"},
		{"list_of_texts", "[usage] # mine\n", `{"usage.work_days":["mon","tue"]}`, false, "[usage] # mine\nwork_days = ['mon', 'tue']\n"},
		{"bool", "[tray]\ntitle = true # mine\n", `{"tray.title":false}`, false, "[tray]\ntitle = false # mine\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := preferences{path: filepath.Join(t.TempDir(), "config.toml")}
			if err := os.WriteFile(p.path, []byte(tt.text), 0o640); err != nil {
				t.Fatal(err)
			}
			var values map[string]json.RawMessage
			if err := json.Unmarshal([]byte(tt.values), &values); err != nil {
				t.Fatal(err)
			}
			err := p.Save(values, tt.lose)
			if errors.Is(err, window.ErrComments) != (tt.want == "") || err != nil && tt.want != "" {
				t.Fatalf("got %v", err)
			}
			want := tt.want
			if want == "" {
				want = tt.text
			}
			if diff := cmp.Diff(want, contentOf(t, p.path)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if info, err := os.Stat(p.path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if left, err := os.ReadDir(filepath.Dir(p.path)); err != nil || len(left) != 1 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A file that has to be written anew keeps what could be read of it.
func TestSaveConfigAnew(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"broken":            "# mine\n[usage]\ninterval = '7m'\n[log]\nlevel = 'debug'\n[alerts\n",
		"unknown_key":       "[usage]\ninterval = '7m'\n# mine\nintervall = '8m'\n[log]\nlevel = 'debug'\n",
		"nothing_to_regret": "usage.interval = '7m'\nlog.level = 'debug'\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := preferences{path: filepath.Join(t.TempDir(), "config.toml")}
			if err := os.WriteFile(p.path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			regret := strings.Contains(text, "# mine")
			if d := p.Read(); d.Comments != regret || (d.Problem != nil) != regret {
				t.Errorf("comments %t, problem %v", d.Comments, d.Problem)
			}
			values := map[string]json.RawMessage{"usage.clock": json.RawMessage(`"12h"`)}
			if err := p.Save(values, false); errors.Is(err, window.ErrComments) != regret {
				t.Fatalf("got %v", err)
			}
			if err := p.Save(values, true); err != nil {
				t.Fatal(err)
			}
			want := defaultConfig()
			want.Usage.Interval, want.Usage.Clock, want.Log.Level = 7*time.Minute, "12h", "debug"
			got, err := loadConfig(p.path)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if !strings.Contains(contentOf(t, p.path), "# It takes") {
				t.Errorf("without the help:\n%s", contentOf(t, p.path))
			}
		})
	}
}

// A link leads to the file, and stays.
func TestSaveConfigThroughALink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link := filepath.Join(dir, "dotfiles", "w.toml"), filepath.Join(dir, "config.toml")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("[log]\nlevel = 'warn'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	if err := (preferences{path: link}).Save(map[string]json.RawMessage{"log.level": json.RawMessage(`"debug"`)}, false); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("no link any more: %v, %v", info, err)
	}
	if got := contentOf(t, file); got != "[log]\nlevel = \"debug\"\n" {
		t.Errorf("got %q", got)
	}
}

// The first save makes the file that --init makes, with the change in it.
func TestSaveConfigFirst(t *testing.T) {
	t.Parallel()
	p := preferences{path: filepath.Join(t.TempDir(), "windsock", "config.toml")}
	if err := p.Save(map[string]json.RawMessage{"alerts.thresholds": json.RawMessage(`[30,10]`)}, false); err != nil {
		t.Fatal(err)
	}
	text, err := configText()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Replace(text, "#thresholds = [20, 5]", "thresholds = [30, 10]", 1), contentOf(t, p.path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d := p.Read(); d.Comments || d.Problem != nil {
		t.Errorf("read: %+v", d)
	}
}

func TestCheckSettings(t *testing.T) {
	t.Parallel()
	p := preferences{path: filepath.Join(t.TempDir(), "config.toml")}
	tests := []struct{ name, key, value, want string }{
		{"fine", "usage.interval", `"2m"`, ""},
		{"fine_with_blanks", "usage.interval", `" 2m "`, ""},
		{"too_long", "usage.interval", `"2h"`, "It takes a time from 1m to 60m, such as 5m."},
		{"not_a_time", "usage.interval", `"soon"`, "It takes a time from 1m to 60m, such as 5m."},
		{"a_number", "usage.interval", `5`, "It takes a time from 1m to 60m, such as 5m."},
		{"unknown_variant", "usage.variant", `"vim"`, `It takes windsurf, windsurf-next, windsurf-insiders, or "" for any of them.`},
		{"bool", "tray.title", `"yes"`, "It takes true or false."},
		{"null", "tray.title", `null`, "It takes true or false."},
		{"list", "alerts.thresholds", `[20,5]`, ""},
		{"list_of_words", "alerts.thresholds", `["x"]`, "It takes a list of up to 8 whole numbers from 1 to 99, such as [20, 5], or [] for none."},
		{"out_of_range", "alerts.thresholds", `[100]`, "It takes a list of up to 8 whole numbers from 1 to 99, such as [20, 5], or [] for none."},
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
			if diff := cmp.Diff(want, p.Check(values)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var refused *window.RefusedError
			if err := p.Save(values, true); errors.As(err, &refused) != (tt.want != "") {
				t.Errorf("saved: %v", err)
			}
		})
	}
}

// FuzzSaveConfig: whatever the file holds, a save changes nothing but its value,
// or says that it would.
func FuzzSaveConfig(f *testing.F) {
	text, err := configText()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{text, "", "[usage]\nclock='12h' # x", "usage.clock='24h'", "[usage", "[[usage]]", "usage={}", "\ufeff[usage]\r\n", "a='''\n[usage]\n'''"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		before := salvaged([]byte(text))
		after := salvaged([]byte(text))
		after.Usage.Clock, after.Alerts.Thresholds = "12h", []int{42}
		changes, err := after.differences(before)
		if err != nil {
			t.Fatal(err)
		}
		edited, ok := editConfig([]byte(text), changes, after)
		if !ok {
			return
		}
		got, err := parseConfig(edited)
		if diff := cmp.Diff(after, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}
