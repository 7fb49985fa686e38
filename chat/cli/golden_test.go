package cli

import (
	"testing"

	"windsock/probe/probetest"
)

// golden compares with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	probetest.Golden(t, name, got)
}
