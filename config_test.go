package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"windsock/chat/api"
	"windsock/probe"
	"windsock/tray"
	"windsock/usage"
	"windsock/usage/alert"
)

// told are the sentences of an error of the file, with what each is about.
func told(tb testing.TB, err error) []string {
	tb.Helper()
	if err == nil {
		return nil
	}
	var problems *configError
	if !errors.As(err, &problems) || len(problems.Problems) == 0 {
		tb.Fatalf("error %v", err)
	}
	if problems.ExitCode() != 2 {
		tb.Errorf("exit code %d", problems.ExitCode())
	}
	var all []string
	for _, p := range problems.Problems {
		all = append(all, strings.TrimPrefix(p.Sentence(), configName))
	}
	return all
}

func TestParseConfig(t *testing.T) {
	t.Parallel()
	settled := config{
		Usage: usage.Config{Interval: 90 * time.Second, Variant: "windsurf-next", Clock: "24h", WorkDays: []string{"mon", "sat"}},
		Tray:  tray.Config{Title: false},
		Log:   logConfig{Level: "debug"},
		// Of [alerts] nothing is said.
		Alerts: alert.DefaultConfig(),
		API:    api.DefaultConfig(),
	}
	partly := defaultConfig()
	partly.Usage.Clock = "12h"
	tests := []struct {
		name, text string
		want       config
	}{
		{"nothing", "", defaultConfig()},
		{"blank", " \n\t\r\n", defaultConfig()},
		{"empty_sections", "[log]\n[usage]\n", defaultConfig()},
		{"one_key", "[usage]\nclock = \"12h\"", partly},
		{
			"all", `
[usage]
interval = "90s"
variant = 'windsurf-next' # Next
clock = """24h"""
work_days = [
  'mon', # and
  "sat",
]
[tray]
title = false
[log]
level = "debug"
`, settled,
		},
		{
			"dotted", "usage.interval='1m30s'\nusage . \"variant\" = 'windsurf-next'\nusage.clock='24h'\nusage.work_days=['mon', 'sat']\ntray.title=false\nlog.level='debug'",
			settled,
		},
		{
			"in_one_line", "usage = {interval = '1.5m', variant = 'windsurf-next', clock = '24h', work_days = ['mon', 'sat']}\ntray={title=false}\nlog.level='debug'",
			settled,
		},
		{"crlf", "[usage]\r\nclock = \"12h\"\r\n", partly},
		{"byte_order_mark", "\ufeff[usage]\nclock = \"12h\"\n", partly},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseConfig([]byte(tt.text))
			if err != nil {
				t.Fatalf("%q", told(t, err))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseConfigProblems(t *testing.T) {
	t.Parallel()
	const (
		interval = "; it takes a time from 1m to 60m, such as 5m"
		clock    = "; it takes auto, 12h or 24h"
		days     = "; it takes two to six of mon, tue, wed, thu, fri, sat and sun in a list, or [] for every day."
	)
	tests := []struct {
		name, text string
		want       []string
	}{
		// Values.
		{"no_time", "[usage]\n\ninterval = \"5x\"", []string{`, line 3: usage.interval is "5x"` + interval + "."}},
		{"too_often", "[usage]\ninterval = '59s'", []string{`, line 2: usage.interval is "59s"` + interval + "."}},
		{"too_seldom", "[usage]\r\ninterval = '1h1s'\r\n", []string{`, line 2: usage.interval is "1h1s"` + interval + "."}},
		{"number", "usage.interval = 300 # s", []string{`, line 1: usage.interval is 300` + interval + ", in quotes."}},
		{"list", "[usage]\ninterval = [\n'5m']", []string{`, line 2: usage.interval is a list` + interval + ", in quotes."}},
		{"table", "[usage]\ninterval = {}", []string{`, line 2: usage.interval is a section` + interval + ", in quotes."}},
		{"header", "[usage.interval]\na = 1", []string{`, line 1: usage.interval is a section` + interval + "."}},
		{"date", "[usage]\nclock = 2026-02-03", []string{`, line 2: usage.clock is 2026-02-03` + clock + ", in quotes."}},
		{
			"unknown_variant", "usage.variant = \"next\"",
			[]string{`, line 1: usage.variant is "next"; it takes windsurf, windsurf-next, windsurf-insiders, or "" for any of them.`},
		},
		{"string_for_bool", "[tray]\ntitle = \"yes\"", []string{`, line 2: tray.title is "yes"; it takes true or false.`}},
		{"level", "\n\nlog = {level = 'loud'}", []string{`, line 3: log.level is "loud"; it takes debug, info, warn or error.`}},
		{"no_list", "[usage]\nwork_days = 'mon'", []string{`, line 2: usage.work_days is "mon"` + days}},
		{"list_of_other_things", "[usage]\nwork_days = [1, 2]", []string{`, line 2: usage.work_days is a list` + days}},
		{"list_of_no_days", "[usage]\nwork_days = ['mon', 'tues']", []string{`, line 2: usage.work_days is a list` + days}},
		{
			"below_a_long_string", "[usage]\nvariant = \"\"\"\nwindsurf\n\"\"\"\nclock = '''\n\n25h'''\n",
			[]string{
				", line 2: usage.variant is \"windsurf\ufffd\"; it takes windsurf, windsurf-next, windsurf-insiders, or \"\" for any of them.",
				", line 5: usage.clock is \"\ufffd25h\"" + clock + ".",
			},
		},
		{
			"in_one_line", "# two\nusage = {clock = '1h', interval = '1s'}",
			[]string{`, line 2: usage.interval is "1s"` + interval + ".", `, line 2: usage.clock is "1h"` + clock + "."},
		},
		{
			"over_lines", "usage = {\n  clock = '1h',\n  interval = '1s',\n}",
			[]string{`, line 2: usage.clock is "1h"` + clock + ".", `, line 3: usage.interval is "1s"` + interval + "."},
		},
		{
			"long", "usage.clock = '" + strings.Repeat("x", 41) + "'",
			[]string{`, line 1: usage.clock is "` + strings.Repeat("x", 40) + `…"` + clock + "."},
		},
		{"terminal_steered", `usage.clock = "\u001bc"`, []string{", line 1: usage.clock is \"\ufffdc\"" + clock + "."}},

		// Keys.
		{"misspelt", "[usage]\nintervall = '5m'", []string{", line 2: there is no key usage.intervall; did you mean usage.interval?"}},
		{"other_case", "[usage]\nInterval = '5m'", []string{", line 2: there is no key usage.Interval; did you mean usage.interval?"}},
		{"no_section", "interval = '5m'", []string{", line 1: there is no key interval; did you mean usage.interval?"}},
		{"other_section", "[tray]\nclock = 'auto'", []string{", line 2: there is no key tray.clock; did you mean usage.clock?"}},
		{"strange", "[usage]\ncolour = 'red'", []string{", line 2: there is no key usage.colour; [usage] has interval, variant, clock, work_days."}},
		{"stranger", "api_key = 'sk-ws-01-secret'", []string{", line 1: there is no key api_key; there are [usage], [tray], [alerts], [chat], [api], [log]."}},
		{"quoted", `"usage.clock" = 'auto'`, []string{`, line 1: there is no key "usage.clock"; did you mean usage.clock?`}},
		{"below_a_key", "[usage]\nclock.auto = true", []string{", line 2: there is no key usage.clock.auto; [usage] has interval, variant, clock, work_days."}},
		{
			"misspelt_section", "[usge]\ninterval = 5\n[ Log ]\nlevel = 'x'\n[tray]\ntitle = 1",
			[]string{
				", line 1: there is no section [usge]; did you mean [usage]?",
				", line 3: there is no section [Log]; did you mean [log]?",
				", line 6: tray.title is 1; it takes true or false.",
			},
		},
		{"section_in_capitals", "[USAGE]", []string{", line 1: there is no section [USAGE]; did you mean [usage]?"}},
		{"strange_section", "[colours]\na = 1", []string{", line 1: there is no section [colours]; there are [usage], [tray], [alerts], [chat], [api], [log]."}},
		{"strange_subsection", "[usage.work]\na = 1", []string{", line 1: there is no key usage.work; [usage] has interval, variant, clock, work_days."}},
		{"list_of_sections", "[[usage]]\nclock = 'x'", []string{", line 1: [[usage]] is a list of sections; write [usage]."}},
		{"section_as_key", "usage = '5m'", []string{", line 1: usage is a section; write [usage], and its keys on the lines below."}},
		{
			"key_twice", "[usage]\nclock = '12h'\ninterval = '1s'\nclock = '24h'\nclock = '1h'",
			[]string{
				`, line 3: usage.interval is "1s"` + interval + ".",
				", line 4: usage.clock is there already, on line 2; take one of them away.",
				", line 5: usage.clock is there already, on line 2; take one of them away.",
			},
		},
		{
			"section_twice", "[usage]\nclock = '12h'\n[tray]\n[usage]\ninterval = '1s'",
			[]string{
				", line 4: the section [usage] is there already, on line 1; put their keys together.",
				`, line 5: usage.interval is "1s"` + interval + ".",
			},
		},
		{
			"section_after_dots", "usage.clock = '12h'\n[usage]\ninterval = '5m'",
			[]string{", line 2: this cannot be used: table usage already exists as defined by a dotted key."},
		},

		// Statements.
		{
			"no_quotes", "[usage]\ninterval = 5m\nclock = 24h # hours\nvariant=\n[tray]\ntitle = Yes\n",
			[]string{
				", line 2: usage.interval is 5m" + interval + ", in quotes.",
				", line 3: usage.clock is 24h" + clock + ", in quotes.",
				`, line 4: usage.variant has no value; it takes windsurf, windsurf-next, windsurf-insiders, or "" for any of them, in quotes.`,
				", line 6: tray.title is Yes; it takes true or false.",
			},
		},
		{
			"half_quoted", "[usage]\ninterval = \"5m\nclock = '1h'\n",
			[]string{
				", line 2: this cannot be read: basic strings cannot have new lines.",
				`, line 3: usage.clock is "1h"` + clock + ".",
			},
		},
		{
			"two_on_a_line", "[usage]\ninterval = '5m' clock = '1h'\nclock = '1h'",
			[]string{
				", line 2: this cannot be read: expected newline but got U+0063 'c'.",
				`, line 3: usage.clock is "1h"` + clock + ".",
			},
		},
		{
			"string_without_end", "[tray]\ntitle = 1\n# note\n\n[usage]\nclock = \"\"\"\n12h\n\n[log]\nlevel = 3\n",
			[]string{
				", line 2: tray.title is 1; it takes true or false.",
				`, line 6: from here on the file cannot be read: multiline basic string not terminated by """.`,
			},
		},
		{
			"list_without_end", "[usage]\nclock = [\n1,\n2\n[log]\nlevel = 3\n",
			[]string{", line 5: from here on the file cannot be read: expected ',' or ']' after array value."},
		},
		{
			"string_begins_behind_a_value", "[usage]\nclock = 5 \"\"\"\nvariant = 3\n\"\"\"\n",
			[]string{", line 2: from here on the file cannot be read: expected newline but got U+0022 '\"'."},
		},
		{
			"control_in_comment", "# \x01\nlog.level = 'loud'\n",
			[]string{", line 1: from here on the file cannot be read: control characters are not allowed in comments."},
		},
		{
			"header_without_end", "[usage\nclock = '1h'\n",
			[]string{", line 1: from here on the file cannot be read: expected ']' to close table name."},
		},
		{"no_toml", "<html>\n</html>", []string{", line 1: from here on the file cannot be read: invalid character at start of key: U+003C '<'."}},
		{"last_line", "[usage]\nclock =", []string{", line 2: usage.clock has no value" + clock + ", in quotes."}},
		{"no_quotes_in_unknown", "[usge]\nclock = 1h\n", []string{", line 1: there is no section [usge]; did you mean [usage]?"}},

		// Bytes.
		{"nul", "[usage]\n\nclock = \"\x00\"", []string{", line 3: there is a NUL byte, so that the file is damaged, or not in UTF-8."}},
		{"latin_1", "# gr\xfcn\n", []string{", line 1: there is a byte that is not UTF-8; save the file as UTF-8."}},
		{"utf_16", "\xff\xfe[\x00u\x00]\x00", []string{", line 1: the file is in UTF-16; save it as UTF-8."}},
		{"second_byte_order_mark", "\ufeff\ufeff", []string{", line 1: from here on the file cannot be read: invalid character at start of key: U+00EF 'ï'."}},
		{"lone_cr", "[usage]\rclock = '12h'", []string{", line 1: from here on the file cannot be read: expected newline but got U+000D."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseConfig([]byte(tt.text))
			if diff := cmp.Diff(tt.want, told(t, err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(defaultConfig(), got); diff != "" {
				t.Errorf("beside the error (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParseConfigGivesUp: a file that is something else costs no more than one
// that is wrong in some places.
func TestParseConfigGivesUp(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&text, "k%d = 1\n", i)
	}
	_, err := parseConfig([]byte(text.String()))
	all := told(t, err)
	if len(all) != maxProblems+1 || all[maxProblems] != ", line 100: so much is wrong up to here that the rest was not read." {
		t.Errorf("%d problems, the last %q", len(all), all[len(all)-1])
	}
}

func TestConfigErrorTellsTheFirst(t *testing.T) {
	t.Parallel()
	_, err := parseConfig([]byte(strings.Repeat("a = 1\n", 12)))
	var problems *configError
	if !errors.As(err, &problems) {
		t.Fatal(err)
	}
	if got := strings.Count(problems.Sentence(), "there is no key a;"); got != 10 {
		t.Errorf("%d are told", got)
	}
	if _, last, _ := strings.Cut(problems.Sentence(), "\nThere are "); last != "2 more; windsock config --check tells them all." {
		t.Errorf("ends with %q", last)
	}
	if got := strings.Count((&checkError{problems}).Sentence(), "there is no key a;"); got != 12 {
		t.Errorf("--check tells %d", got)
	}
	want := "read config: config.toml, line 1: there is no key a; there are [usage], [tray], [alerts], [chat], [api], [log] (and 11 more)"
	if problems.Error() != want {
		t.Errorf("error %q", problems.Error())
	}
	first := configProblem{Line: 1, Key: "a", text: "there is no key a; there are [usage], [tray], [alerts], [chat], [api], [log]"}
	if problems.Problems[0] != first {
		t.Errorf("got %+v", problems.Problems[0])
	}
}

func TestConfigProblemFields(t *testing.T) {
	t.Parallel()
	_, err := parseConfig([]byte("[usage]\nclock = 'never'"))
	var problems *configError
	if !errors.As(err, &problems) {
		t.Fatal(err)
	}
	want := configProblem{
		Line: 2, Key: "usage.clock", Allowed: "auto, 12h or 24h",
		text: `usage.clock is "never"; it takes auto, 12h or 24h`,
	}
	if len(problems.Problems) != 1 || problems.Problems[0] != want {
		t.Errorf("got %+v", problems.Problems)
	}
}

// TestConfigTakesEveryVariant holds usage, which may not know what probe knows,
// to it.
func TestConfigTakesEveryVariant(t *testing.T) {
	t.Parallel()
	c := defaultConfig()
	for _, s := range settingsOf(&c) {
		if s.name() != "usage.variant" {
			continue
		}
		for _, v := range probe.Variants() {
			if !strings.Contains(s.takes, v.ID+",") {
				t.Errorf("%s is not named: %s", v.ID, s.takes)
			}
			c.Usage.Variant = v.ID
			if bad := c.invalid(); len(bad) > 0 {
				t.Errorf("%s: %v", v.ID, bad)
			}
		}
	}
}

func TestConfigTextIsTheDefaults(t *testing.T) {
	t.Parallel()
	text, err := configText()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := parseConfig([]byte(text)); err != nil || !reflect.DeepEqual(got, defaultConfig()) {
		t.Errorf("as it is: %+v, %v", got, err)
	}
	var lines []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		lines = append(lines, strings.TrimPrefix(line, "#"))
	}
	r := newConfigReader([]byte(strings.Join(lines, "")))
	if !r.readAll() || len(r.problems) > 0 {
		t.Fatalf("with every key: %+v", r.problems)
	}
	if diff := cmp.Diff(defaultConfig(), r.config); diff != "" {
		t.Errorf("with every key (-want +got):\n%s", diff)
	}
	c := defaultConfig()
	for _, s := range settingsOf(&c) {
		if s.key == "" || s.comment == "" || s.takes == "" || r.seen[s.name()] == 0 {
			t.Errorf("%s is not in the file as it should be: %+v", s.name(), s)
		}
	}
	if bad := defaultConfig().invalid(); len(bad) > 0 {
		t.Errorf("defaults that are not allowed: %v", bad)
	}
}

func TestSettingInTOML(t *testing.T) {
	t.Parallel()
	for interval, want := range map[time.Duration]string{
		5 * time.Minute: `"5m"`, time.Hour: `"1h"`, 90 * time.Second: `"1m30s"`, time.Hour + time.Second: `"1h0m1s"`,
		10 * time.Second: `"10s"`, 0: `"0s"`, 90 * time.Minute: `"1h30m"`, 10 * time.Hour: `"10h"`,
	} {
		c := defaultConfig()
		c.Usage.Interval = interval
		if got, err := settingsOf(&c)[0].inTOML(); err != nil || got != want {
			t.Errorf("%v is %s, %v", interval, got, err)
		}
	}
}

func TestConfigPath(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "elsewhere"))
	check := func(want string) {
		t.Helper()
		if got, err := configPath(); err != nil || got != filepath.Join(want, "windsock", "config.toml") {
			t.Errorf("got %s, %v", got, err)
		}
	}
	check(filepath.Join(home, "elsewhere"))
	if runtime.GOOS != "linux" {
		t.Skip("the system's own place")
	}
	for _, relative := range []string{"", "elsewhere"} {
		t.Setenv("XDG_CONFIG_HOME", relative)
		check(filepath.Join(home, ".config"))
	}
	t.Setenv("HOME", "")
	if got, err := configPath(); err == nil {
		t.Errorf("without a home: %s", got)
	}
}

func TestLoadConfig(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func(path string) error
		want []string
	}{
		{"missing", func(string) error { return nil }, nil},
		{"directory_missing", func(path string) error { return os.Remove(filepath.Dir(path)) }, nil},
		{"fine", func(path string) error { return os.WriteFile(path, []byte("[usage]\n"), 0o600) }, nil},
		{"largest", func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("\n", maxConfig)), 0o600) }, nil},
		{
			"problem", func(path string) error { return os.WriteFile(path, []byte("a = 1"), 0o600) },
			[]string{", line 1: there is no key a; there are [usage], [tray], [alerts], [chat], [api], [log]."},
		},
		{
			"too_large", func(path string) error { return os.WriteFile(path, make([]byte, 2<<20), 0o600) },
			[]string{": it is larger than 1 MB, which no configuration is."},
		},
		{
			"directory", func(path string) error { return os.Mkdir(path, 0o700) },
			[]string{": it is a directory, and has to be a file."},
		},
		{
			"link_to_nowhere", func(path string) error { return os.Symlink("nowhere", path) },
			[]string{": it is a link to a file that is not there."},
		},
		{
			"link_to_itself", func(path string) error { return os.Symlink(configName, path) },
			[]string{": it cannot be read: too many levels of symbolic links."},
		},
		{
			"file_for_directory", func(path string) error {
				dir := filepath.Dir(path)
				return errors.Join(os.Remove(dir), os.WriteFile(dir, nil, 0o600))
			},
			[]string{": it cannot be read: not a directory."},
		},
		{"device", func(path string) error { return os.Symlink(os.DevNull, path) }, []string{": it is no ordinary file."}},
		{
			"forbidden", func(path string) error { return os.WriteFile(path, nil, 0) },
			[]string{": it cannot be read: permission denied."},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "alice", configName)
			if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), tt.make(path)); err != nil {
				t.Skip(err)
			}
			if tt.name == "forbidden" && os.Geteuid() <= 0 {
				t.Skip("nothing is forbidden to root")
			}
			got, err := loadConfig(path)
			if diff := cmp.Diff(tt.want, told(t, err)); diff != "" && runtime.GOOS != "windows" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (err != nil) != (tt.want != nil) || !reflect.DeepEqual(got, defaultConfig()) {
				t.Errorf("error %v beside %+v", err, got)
			}
			if err != nil && strings.Contains(err.Error(), "alice") {
				t.Errorf("the path is told: %v", err)
			}
		})
	}
}

func FuzzParseConfig(f *testing.F) {
	text, err := configText()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		text, strings.ReplaceAll(text, "\n#", "\n"), "usage = {interval = '5m', clock = 24h}", "[[usage]]\n[usage]\nclock=1\nclock=2",
		"usage.variant=\"\"\"\n\"\"\"\r\n", "\ufeff\xff", "a=[[[{b=1", "[usage]\ninterval='1h\n\n\nclock = x\n", "\"\" = 1\n['']\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := parseConfig(text)
		if err == nil {
			if bad := got.invalid(); len(bad) > 0 {
				t.Fatalf("not allowed, and taken: %v", bad)
			}
			sameAsDecoder(t, text, got)
			return
		}
		lines := strings.Count(strings.TrimSuffix(string(text), "\n"), "\n") + 1
		told(t, err)
		var problems *configError
		errors.As(err, &problems)
		for i, p := range problems.Problems {
			if p.Line < 1 || p.Line > lines {
				t.Errorf("%q has %d lines", p.Sentence(), lines)
			}
			if i > 0 && p.Line < problems.Problems[i-1].Line {
				t.Errorf("%q is out of order", p.Sentence())
			}
			if strings.ContainsAny(p.Sentence(), "\n\x1b") {
				t.Errorf("%q steers the terminal", p.Sentence())
			}
		}
		if !reflect.DeepEqual(got, defaultConfig()) {
			t.Errorf("beside the error: %+v", got)
		}
	})
}

// sameAsDecoder compares with what the library makes of a text without help.
func sameAsDecoder(t *testing.T, text []byte, got config) {
	t.Helper()
	var in struct {
		Usage struct{ Interval, Variant, Clock *string }
		Tray  struct{ Title *bool }
		Log   struct{ Level *string }
	}
	if err := toml.Unmarshal([]byte(strings.TrimPrefix(string(text), "\ufeff")), &in); err != nil {
		t.Fatalf("the library refuses it: %v", err)
	}
	want := defaultConfig()
	if in.Usage.Interval != nil {
		want.Usage.Interval, _ = time.ParseDuration(*in.Usage.Interval)
	}
	for from, to := range map[*string]*string{
		in.Usage.Variant: &want.Usage.Variant, in.Usage.Clock: &want.Usage.Clock, in.Log.Level: &want.Log.Level,
	} {
		if from != nil {
			*to = *from
		}
	}
	if in.Tray.Title != nil {
		want.Tray.Title = *in.Tray.Title
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-library +got):\n%s", diff)
	}
}
