package settings

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
)

// Two saves at once are both kept.
func TestSaveAtOnce(t *testing.T) {
	t.Parallel()
	for range 20 {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte("# mine\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var saving sync.WaitGroup
		for _, change := range []func(*sample){
			func(c *sample) { c.Usage.Clock = "12h" },
			func(c *sample) { c.API.Enabled = true },
			func(c *sample) { c.Tray.Title = !c.Tray.Title },
		} {
			saving.Go(func() {
				if err := at(path).Save(change, false); err != nil {
					t.Error(err)
				}
			})
		}
		saving.Wait()
		c, err := at(path).Load()
		if err != nil || c.Usage.Clock != "12h" || !c.API.Enabled || c.Tray.Title == sampleDefaults().Tray.Title {
			t.Fatalf("got %+v, %v", c, err)
		}
	}
}

// The person's own text stays as it is.
func TestSave(t *testing.T) {
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
		{"inline", "usage = {clock = '24h', interval = '2m'} # mine\n", twelve, false, ""},
		{"multi_line_list", "[tray]\nleft = [\n 30,\n 5,\n]\n# mine\n", `{"tray.left":[10]}`, false, "[tray]\nleft = [10]\n# mine\n"},
		{"comment_in_a_list", "[tray]\nleft = [\n 30, # mine\n 5,\n]\n", `{"tray.left":[10]}`, false, ""},
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
			f := newFile(t)
			if err := os.WriteFile(f.Path, []byte(tt.text), 0o640); err != nil {
				t.Fatal(err)
			}
			var values map[string]json.RawMessage
			if err := json.Unmarshal([]byte(tt.values), &values); err != nil {
				t.Fatal(err)
			}
			err := f.Fill(values, tt.lose)
			if errors.Is(err, ErrComments) != (tt.want == "") || err != nil && tt.want != "" {
				t.Fatalf("got %v", err)
			}
			want := tt.want
			if want == "" {
				want = tt.text
			}
			if diff := cmp.Diff(want, contentOf(t, f.Path)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if info, err := os.Stat(f.Path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if left, err := os.ReadDir(filepath.Dir(f.Path)); err != nil || len(left) != 1 {
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
func TestSaveAnew(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"broken":            "# mine\n[usage]\ninterval = '7m'\n[log]\nlevel = 'debug'\n[tray\n",
		"unknown_key":       "[usage]\ninterval = '7m'\n# mine\nintervall = '8m'\n[log]\nlevel = 'debug'\n",
		"nothing_to_regret": "usage.interval = '7m'\nlog.level = 'debug'\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFile(t)
			if err := os.WriteFile(f.Path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			regret := strings.Contains(text, "# mine")
			if d := f.Form(); d.Comments != regret || (d.Problem != "") != regret {
				t.Errorf("comments %t, problem %q", d.Comments, d.Problem)
			}
			values := map[string]json.RawMessage{"usage.clock": json.RawMessage(`"12h"`)}
			if err := f.Fill(values, false); errors.Is(err, ErrComments) != regret {
				t.Fatalf("got %v", err)
			}
			if err := f.Fill(values, true); err != nil {
				t.Fatal(err)
			}
			want := sampleDefaults()
			want.Usage.Interval, want.Usage.Clock, want.Log.Level = 7*time.Minute, "12h", "debug"
			got, err := f.Load()
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			kept, err := filepath.Glob(f.Path + "-unreadable-*")
			if err != nil || (len(kept) == 1) != (name == "broken") {
				t.Errorf("kept: %v, %v", kept, err)
			}
			if len(kept) == 1 && contentOf(t, kept[0]) != text {
				t.Errorf("kept:\n%s", contentOf(t, kept[0]))
			}
			if !strings.Contains(contentOf(t, f.Path), "# It takes") {
				t.Errorf("without the help:\n%s", contentOf(t, f.Path))
			}
		})
	}
}

// A link leads to the file, and stays.
func TestSaveThroughALink(t *testing.T) {
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
	if err := at(link).Fill(map[string]json.RawMessage{"log.level": json.RawMessage(`"debug"`)}, false); err != nil {
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
func TestSaveFirst(t *testing.T) {
	t.Parallel()
	f := at(filepath.Join(t.TempDir(), "windsock", Name))
	if err := f.Fill(map[string]json.RawMessage{"tray.left": json.RawMessage(`[30,10]`)}, false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Replace(template(t), "#left = [20, 5]", "left = [30, 10]", 1), contentOf(t, f.Path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d := f.Form(); d.Comments || d.Problem != "" {
		t.Errorf("read: %+v", d)
	}
}
