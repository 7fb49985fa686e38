package clean

import (
	"path/filepath"
	"testing"
	"time"

	"windsock/chat/clean/cleantest"
	"windsock/chat/touched/touchedtest"
)

// newTestCleaner cleans up what those servers know.
func newTestCleaner(tb testing.TB, codeium string, servers ...*cleantest.Server) *Cleaner {
	tb.Helper()
	return New(testTarget(codeium, servers...), touchedtest.New(tb, filepath.Join(tb.TempDir(), "state"), time.Now), func() time.Time { return cleantest.Now })
}

func testTarget(codeium string, servers ...*cleantest.Server) Target {
	target := Target{Variant: "windsurf", App: "Windsurf", CodeiumDir: codeium}
	for _, s := range servers {
		target.Servers = append(target.Servers, s)
	}
	return target
}

// everything is old enough for these rules.
var everything = Rules{OlderThan: Day}
