package autostart

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuoteExec(t *testing.T) {
	for _, tt := range []struct {
		name  string
		words []string
		want  string
	}{
		{"plain", []string{"/usr/bin/windsock", "--x=1"}, `/usr/bin/windsock --x=1`},
		{"space", []string{"/opt/my apps/windsock"}, `"/opt/my apps/windsock"`},
		{"percent", []string{"/opt/100%/windsock"}, `/opt/100%%/windsock`},
		{"percent_and_space", []string{"/opt/100 %u/windsock"}, `"/opt/100 %%u/windsock"`},
		{"quote", []string{`/opt/a"b`}, `"/opt/a\\"b"`},
		{"dollar", []string{"/opt/$HOME"}, `"/opt/\\$HOME"`},
		{"backtick", []string{"/opt/`id`"}, "\"/opt/\\\\`id\\\\`\""},
		{"backslash", []string{`/opt/a\b`}, `"/opt/a\\\\b"`},
		{"single_quote", []string{"/opt/it's"}, `"/opt/it's"`},
		{"tilde", []string{"/home/me/~/windsock"}, `"/home/me/~/windsock"`},
		{"comment", []string{"/opt/#1"}, `"/opt/#1"`},
		{"operators", []string{"/a<b>c|d&e;f*g?h(i)j"}, `"/a<b>c|d&e;f*g?h(i)j"`},
		{"new_line_and_tab", []string{"/a\nb\tc"}, `"/a\nb\tc"`},
		{"empty", []string{"/a", ""}, `/a ""`},
		{"umlaut", []string{"/home/jürgen/windsock"}, `/home/jürgen/windsock`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := quoteExec(tt.words)
			if err != nil || got != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
			back, err := splitExec(got)
			if diff := cmp.Diff(tt.words, back); diff != "" || err != nil {
				t.Errorf("read back: %v %s", err, diff)
			}
		})
	}
}

func TestQuoteExecRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		word string
		want told
	}{
		{"equals_sign", "/opt/a=b/windsock", told{
			"write autostart entry: it holds an equals sign",
			"The path of Windsock's program file cannot stand in an entry for login: it holds an equals sign. Move Windsock to a directory with a plain name, start it from there and try again.",
		}},
		{"not_utf_8", "/opt/\xff/windsock", told{
			"write autostart entry: it is not plain text",
			"The path of Windsock's program file cannot stand in an entry for login: it is not plain text. Move Windsock to a directory with a plain name, start it from there and try again.",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newDesktopFile(program{tt.word, nil})
			if diff := cmp.Diff(tt.want, tell(t, err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSplitExec(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        []string
		err         error
	}{
		{"empty", "", nil, nil},
		{"spaces", "  a   b ", []string{"a", "b"}, nil},
		{"field_codes", "windsock %U --icon=%i %f", []string{"windsock", "--icon="}, nil},
		{"empty_argument", `windsock "" ''`, []string{"windsock", "", ""}, nil},
		{"unknown_field_code", "windsock %z", nil, errFieldCode},
		{"lone_percent", "windsock 100%", nil, errFieldCode},
		{"not_closed", `"windsock`, nil, errUnclosed},
		{"as_a_shell", `sh -c 'sleep 5; windsock'`, []string{"sh", "-c", "sleep 5; windsock"}, nil},
		{"backslash_outside_quotes", `a\\ b`, []string{"a b"}, nil},
		{"needless_backslash_in_quotes", `"a\\b"`, []string{`a\b`}, nil},
		{"joined", `a"b c"'d e'f`, []string{"ab cd ef"}, nil},
		{"escaped_space", `a\sb`, []string{"a", "b"}, nil},
		{"unknown_escape", `"a\qb"`, []string{`a\qb`}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := splitExec(tt.value)
			if diff := cmp.Diff(tt.want, got); diff != "" || err != tt.err { //nolint:errorlint // a parser's own
				t.Errorf("error %v, want %v; %s", err, tt.err, diff)
			}
		})
	}
}
