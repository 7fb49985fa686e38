//go:build unix

package probetest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

func TestAsOrdinaryUser(t *testing.T) {
	if !AsOrdinaryUser(t) {
		return
	}
	if os.Getuid() == 0 {
		t.Error("runs as root")
	}
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.WriteFile(closed, nil, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(closed); !os.IsPermission(err) {
		t.Errorf("ReadFile: %v, want a refusal", err)
	}
}

// Whatever is not a success of the test by that name is told.
func TestAsOrdinaryUserTells(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	for _, name := range []string{"TestFailsOrdinarily", "TestSkipsOrdinarily", "TestNoneSuch"} {
		t.Run(name, func(t *testing.T) {
			w := &witness{TB: t, name: name}
			if w.after(func() { AsOrdinaryUser(w) }) == "" {
				t.Error("passes")
			}
		})
	}
}

// TestFailsOrdinarily fails when it is asked for alone, as AsOrdinaryUser does.
func TestFailsOrdinarily(t *testing.T) {
	if flag.Lookup("test.run").Value.String() == "^"+t.Name()+"$" {
		t.Error("fails")
	}
}

func TestSkipsOrdinarily(t *testing.T) { t.Skip("is there to be skipped") }
