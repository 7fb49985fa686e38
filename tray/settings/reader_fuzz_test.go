package settings

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
)

func FuzzParse(f *testing.F) {
	text := template(f)
	for _, seed := range []string{
		text, strings.ReplaceAll(text, "\n#", "\n"), "usage = {interval = '5m', clock = 24h}", "[[usage]]\n[usage]\nclock=1\nclock=2",
		"usage.editor=\"\"\"\n\"\"\"\r\n", "\ufeff\xff", "a=[[[{b=1", "[usage]\ninterval='1h\n\n\nclock = x\n", "\"\" = 1\n['']\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := at("").parse(text)
		if err == nil {
			if bad := got.invalid(); len(bad) > 0 {
				t.Fatalf("not allowed, and taken: %v", bad)
			}
			sameAsDecoder(t, text, got)
			return
		}
		lines := strings.Count(strings.TrimSuffix(string(text), "\n"), "\n") + 1
		told(t, err)
		var problems *BrokenError
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
		if !reflect.DeepEqual(got, sampleDefaults()) {
			t.Errorf("beside the error: %+v", got)
		}
	})
}

// sameAsDecoder compares with what the library makes of a text without help.
func sameAsDecoder(t *testing.T, text []byte, got sample) {
	t.Helper()
	var in struct {
		Usage struct{ Interval, Editor, Clock *string }
		Tray  struct{ Title *bool }
		Log   struct{ Level *string }
	}
	if err := toml.Unmarshal([]byte(strings.TrimPrefix(string(text), "\ufeff")), &in); err != nil {
		t.Fatalf("the library refuses it: %v", err)
	}
	want := sampleDefaults()
	if in.Usage.Interval != nil {
		want.Usage.Interval, _ = time.ParseDuration(*in.Usage.Interval)
	}
	for from, to := range map[*string]*string{
		in.Usage.Editor: &want.Usage.Editor, in.Usage.Clock: &want.Usage.Clock, in.Log.Level: &want.Log.Level,
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
