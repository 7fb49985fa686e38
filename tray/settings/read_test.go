package settings

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	settled := sampleDefaults() // [api] is missing
	settled.Usage = usageSection{Interval: 90 * time.Second, Editor: "emacs", Clock: "24h", WorkDays: []string{"mon", "sat"}}
	settled.Tray.Title, settled.Log.Level = false, "debug"
	partly := sampleDefaults()
	partly.Usage.Clock = "12h"
	tests := []struct {
		name, text string
		want       sample
	}{
		{"nothing", "", sampleDefaults()},
		{"blank", " \n\t\r\n", sampleDefaults()},
		{"empty_sections", "[log]\n[usage]\n", sampleDefaults()},
		{"one_key", "[usage]\nclock = \"12h\"", partly},
		{
			"all", `
[usage]
interval = "90s"
editor = 'emacs' # the other
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
			"dotted", "usage.interval='1m30s'\nusage . \"editor\" = 'emacs'\nusage.clock='24h'\nusage.work_days=['mon', 'sat']\ntray.title=false\nlog.level='debug'",
			settled,
		},
		{
			"in_one_line", "usage = {interval = '1.5m', editor = 'emacs', clock = '24h', work_days = ['mon', 'sat']}\ntray={title=false}\nlog.level='debug'",
			settled,
		},
		{"crlf", "[usage]\r\nclock = \"12h\"\r\n", partly},
		{"byte_order_mark", "\ufeff[usage]\nclock = \"12h\"\n", partly},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(tt.text)
			if err != nil {
				t.Fatalf("%q", told(t, err))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseProblems(t *testing.T) {
	t.Parallel()
	const (
		interval = "; it takes a time from 1m to 60m, such as 5m"
		clock    = "; it takes auto, 12h or 24h"
		days     = "; it takes some of mon, tue and sat in a list, or [] for every day."
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
		{"header", "[usage.interval]\na = 1", []string{`, line 1: usage.interval is a section` + interval + ", in quotes."}},
		{"date", "[usage]\nclock = 2026-02-03", []string{`, line 2: usage.clock is 2026-02-03` + clock + ", in quotes."}},
		{
			"unknown_editor", "usage.editor = \"nano\"",
			[]string{`, line 1: usage.editor is "nano"; it takes vim, emacs, or "" for any of them.`},
		},
		{"string_for_bool", "[tray]\ntitle = \"yes\"", []string{`, line 2: tray.title is "yes"; it takes true or false.`}},
		{"level", "\n\nlog = {level = 'loud'}", []string{`, line 3: log.level is "loud"; it takes debug, info, warn or error.`}},
		{"no_list", "[usage]\nwork_days = 'mon'", []string{`, line 2: usage.work_days is "mon"` + days}},
		{"list_of_other_things", "[usage]\nwork_days = [1, 2]", []string{`, line 2: usage.work_days is a list` + days}},
		{"list_of_no_days", "[usage]\nwork_days = ['mon', 'tues']", []string{`, line 2: usage.work_days is a list` + days}},
		{
			"below_a_long_string", "[usage]\neditor = \"\"\"\nvim\n\"\"\"\nclock = '''\n\n25h'''\n",
			[]string{
				", line 2: usage.editor is \"vim\ufffd\"; it takes vim, emacs, or \"\" for any of them.",
				", line 5: usage.clock is \"\ufffd25h\"" + clock + ".",
			},
		},
		{
			"in_one_line", "# two\nusage = {clock = '1h', interval = '1s'}",
			[]string{`, line 2: usage.clock is "1h"` + clock + ".", `, line 2: usage.interval is "1s"` + interval + "."},
		},
		{
			"over_lines", "usage = {\n  clock = '1h',\n  interval = '1s',\n}",
			[]string{`, line 1: usage.clock is "1h"` + clock + ".", `, line 1: usage.interval is "1s"` + interval + "."},
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
		{"misspelt_without_section", "intervall = '5m'", []string{", line 1: there is no key intervall; did you mean usage.interval?"}},
		{"short_without_section", "xck = 'auto'", []string{", line 1: there is no key xck; there are [usage], [tray], [api], [log]."}},
		{"other_section", "[tray]\nclock = 'auto'", []string{", line 2: there is no key tray.clock; did you mean usage.clock?"}},
		{"strange", "[usage]\ncolour = 'red'", []string{", line 2: there is no key usage.colour; [usage] has interval, editor, clock, work_days."}},
		{"stranger", "api_key = 'sk-ws-01-secret'", []string{", line 1: there is no key api_key; there are [usage], [tray], [api], [log]."}},
		{
			"misspelt_section", "[usge]\ninterval = 5\n[ Log ]\nlevel = 'x'\n[tray]\ntitle = 1",
			[]string{
				", line 1: there is no section [usge]; did you mean [usage]?",
				", line 3: there is no section [Log]; did you mean [log]?",
				", line 6: tray.title is 1; it takes true or false.",
			},
		},
		{"section_in_capitals", "[USAGE]", []string{", line 1: there is no section [USAGE]; did you mean [usage]?"}},
		{"strange_section", "[colours]\na = 1", []string{", line 1: there is no section [colours]; there are [usage], [tray], [api], [log]."}},
		{"strange_subsection", "[usage.work]\na = 1", []string{", line 1: there is no key usage.work; [usage] has interval, editor, clock, work_days."}},
		{"section_as_key", "usage = '5m'", []string{", line 1: usage is a section; write [usage], and its keys on the lines below."}},
		{
			"key_twice", "[usage]\nclock = '12h'\ninterval = '1s'\nclock = '24h'\nclock = '1h'",
			[]string{
				`, line 3: usage.interval is "1s"` + interval + ".",
				", line 4: this cannot be read: key clock is already defined.",
			},
		},
		{
			"section_twice", "[usage]\nclock = '12h'\n[tray]\n[usage]\ninterval = '1s'",
			[]string{
				", line 4: this cannot be read: table usage already exists.",
			},
		},

		// Statements.
		{
			"no_quotes", "[usage]\ninterval = 5m # minutes\nclock = 24h\n",
			[]string{
				", line 2: usage.interval is 5m" + interval + ", in quotes.",
			},
		},
		{
			"half_quoted", "[usage]\ninterval = \"5m\nclock = '1h'\n",
			[]string{
				", line 2: this cannot be read: basic strings cannot have new lines.",
			},
		},
		{
			"string_without_end", "[tray]\ntitle = 1\n# note\n\n[usage]\nclock = \"\"\"\n12h\n\n[log]\nlevel = 3\n",
			[]string{
				`, line 10: this cannot be read: multiline basic string not terminated by """.`,
			},
		},
		{
			"header_without_end", "[usage\nclock = '1h'\n",
			[]string{", line 1: this cannot be read: expected ']' to close table name."},
		},
		{"no_toml", "<html>\n</html>", []string{", line 1: this cannot be read: invalid character at start of key: U+003C '<'."}},
		{"last_line", "[usage]\nclock =", []string{", line 2: usage.clock has no value" + clock + ", in quotes."}},

		// Bytes.
		{"nul", "[usage]\n\nclock = \"\x00\"", []string{", line 3: this cannot be read: basic strings cannot have control characters."}},
		{"latin_1", "# gr\xfcn\n", []string{": it is not in UTF-8; save it as UTF-8."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(tt.text)
			if diff := cmp.Diff(tt.want, told(t, err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(sampleDefaults(), got); diff != "" {
				t.Errorf("beside the error (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever a file holds, the accepted values are valid, and the messages are safe for
// a terminal.
func FuzzParse(f *testing.F) {
	text := template(f)
	for _, seed := range []string{
		text, strings.ReplaceAll(text, "\n#", "\n"), "usage = {interval = '5m', clock = 24h}", "[[usage]]\n[usage]\nclock=1\nclock=2",
		"usage.editor=\"\"\"\n\"\"\"\r\n", "\ufeff\xff", "a=[[[{b=1", "[usage]\ninterval='1h\n\n\nclock = x\n", "\"\" = 1\n['']\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := parse(string(text))
		if err == nil {
			if bad := got.invalid(); len(bad) > 0 {
				t.Fatalf("not allowed, and taken: %v", bad)
			}
			return
		}
		lines := bytes.Count(text, []byte("\n")) + 1
		told(t, err)
		var problems *BrokenError
		errors.As(err, &problems)
		for _, p := range problems.Problems {
			if p.Line > lines {
				t.Errorf("%q has %d lines", p.Sentence(), lines)
			}
			if strings.ContainsAny(p.Sentence(), "\n\x1b") {
				t.Errorf("%q steers the terminal", p.Sentence())
			}
		}
		if !reflect.DeepEqual(got, sampleDefaults()) {
			t.Errorf("beside the error: %+v", got)
		}
	})
}
