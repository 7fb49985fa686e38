package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersionForms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, tag string
		want      []string // plain, tilde, arch, apk; nil where there is none
	}{
		{"release", "v1.2.3", []string{"1.2.3", "1.2.3", "1.2.3", "1.2.3"}},
		{"candidate", "v1.2.3-rc.1", []string{"1.2.3-rc.1", "1.2.3~rc.1", "1.2.3rc.1", "1.2.3_rc1"}},
		{"no_tag", "v0.0.0-20261121113911-0672f71cb6a1", []string{
			"0.0.0-20261121113911-0672f71cb6a1", "0.0.0~20261121113911.0672f71cb6a1", "0.0.0pre20261121113911", "0.0.0_pre20261121113911",
		}},
		{"after_a_tag", "v1.2.1-0.20261121113911-0672f71cb6a1", []string{
			"1.2.1-0.20261121113911-0672f71cb6a1", "1.2.1~0.20261121113911.0672f71cb6a1", "1.2.1pre20261121113911", "1.2.1_pre20261121113911",
		}},
		{"dirty", "v1.2.3+dirty", nil},
		{"development", "(devel)", nil},
		{"unknown_to_apk", "v1.2.3-nightly", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v, err := parseVersion(tt.tag)
			var got []string
			if err == nil {
				got = []string{v.plain(), v.tilde(), v.arch(), v.apk()}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("forms (-want +got):\n%s", diff)
			}
		})
	}
}
