package app

import (
	"strings"
	"testing"
)

func TestRunExitCodes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args string
		want int
	}{
		{"help", "--help", 0},
		{"version", "version", 0},
		{"version_flag", "--version", 0},
		{"unknown_command", "statsu", 2},
		{"unknown_flag", "status --jsn", 2},
		{"argument_too_many", "version now", 2},
		{"unknown_variant", "status --variant cursor", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := newRoot(personal())
			root.SetOut(&strings.Builder{})
			var stderr strings.Builder
			if got := run(t.Context(), root, strings.Fields(tt.args), &stderr); got != tt.want {
				t.Errorf("exit code %d, want %d; stderr: %s", got, tt.want, stderr.String())
			}
			if (stderr.Len() > 0) != (tt.want > 0) {
				t.Errorf("stderr: %q", stderr.String())
			}
		})
	}
}
