package windowtest

import (
	"os"
	"testing"
)

// built is the directory that the program lies in once it was built.
var built string

// TestMain ends what the tests share.
func TestMain(m *testing.M) {
	code := m.Run()
	endShared()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}
