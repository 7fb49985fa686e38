package usage

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestConfigValidate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		config Config
		want   []string
	}{
		{"default", DefaultConfig(), nil},
		{"least", Config{Interval: time.Minute, Clock: "12h"}, nil},
		{"most", Config{Interval: time.Hour, Clock: "24h", Variant: "not for this package to say"}, nil},
		{"too_often", Config{Interval: time.Minute - 1, Clock: "auto"}, []string{"interval"}},
		{"too_seldom", Config{Interval: time.Hour + 1, Clock: "auto"}, []string{"interval"}},
		{"nothing", Config{}, []string{"interval", "clock"}},
		{"other_clock", Config{Interval: time.Minute, Clock: "24H"}, []string{"clock"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			if joined, ok := tt.config.Validate().(interface{ Unwrap() []error }); ok {
				for _, err := range joined.Unwrap() {
					keyed, _ := errors.AsType[interface {
						error
						Key() string
					}](err)
					got = append(got, keyed.Key())
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfigWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		clock, lang string
		want        bool
	}{
		{"auto", "en_US.UTF-8", true},
		{"auto", "de_DE.UTF-8", false},
		{"12h", "de_DE.UTF-8", true},
		{"24h", "en_US.UTF-8", false},
		{"", "en_US.UTF-8", true},
	}
	for _, tt := range tests {
		lookup := func(name string) (string, bool) { return tt.lang, name == "LANG" }
		got := Config{Clock: tt.clock}.Words(time.UTC, lookup)
		if want := (Words{Location: time.UTC, TwelveHour: tt.want}); got != want {
			t.Errorf("%q in %s: got %+v", tt.clock, tt.lang, got)
		}
	}
}
