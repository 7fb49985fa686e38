package app

import "testing"

func TestShortVersion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, version, want string }{
		{"release", "v1.2.3", "v1.2.3"},
		{"release_candidate", "v1.2.3-rc.1", "v1.2.3-rc.1"},
		{"release_with_changes", "v1.2.3+dirty", "v1.2.3+dirty"},
		{"no_tag_yet", "v0.0.0-20261121124131-9deba2c04a65", "(devel)"},
		{"behind_a_tag", "v1.2.4-0.20261121124131-9deba2c04a65", "(devel)"},
		{"behind_a_candidate", "v1.2.3-rc.1.0.20261121124131-9deba2c04a65+dirty", "(devel)"},
		{"not_stamped", "(devel)", "(devel)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := shortVersion(tt.version); got != tt.want {
				t.Errorf("shortVersion(%q) = %q, want %q", tt.version, got, tt.want)
			}
		})
	}
}
