package chat

import (
	"path/filepath"
	"testing"
	"time"
)

// newTestCleaner cleans up what those servers know.
func newTestCleaner(tb testing.TB, codeium string, servers ...*fakeServer) *Cleaner {
	tb.Helper()
	return NewCleaner(testTarget(codeium, servers...), filepath.Join(tb.TempDir(), "state"), func() time.Time { return cleanNow })
}

func testTarget(codeium string, servers ...*fakeServer) CleanTarget {
	target := CleanTarget{Variant: "windsurf", App: "Windsurf", CodeiumDir: codeium}
	for _, s := range servers {
		target.Servers = append(target.Servers, s)
	}
	return target
}

// everything is old enough for these rules.
var everything = CleanRules{OlderThan: cleanDay}
