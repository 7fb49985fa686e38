//go:build unix

package kept_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"windsock/probe/say"
)

// TestLockIsAPipe: a lock that is a pipe holds nobody.
func TestLockIsAPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "source.lock"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := placeAt(dir, testNow).Get(t.Context(), askedLongAgo, unasked(t)); say.Code(err) != "bad_response" {
		t.Error(err)
	}
}
