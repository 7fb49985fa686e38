package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// makeLinux makes packages of a program that is a line of text.
func makeLinux(t *testing.T, program string) (base string) {
	t.Helper()
	v, err := parseVersion("v1.2.3-rc.1")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	tree := []file{{"bin/windsock", programMode, []byte(program)}, {"share/man/man1/windsock.1.gz", plainMode, []byte("page")}}
	s := source{time: time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)}
	if _, err := writeLinux(dir, "amd64", v, tree, s); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "windsock-1.2.3-rc.1-linux-amd64")
}

func TestPackagesHoldTheSame(t *testing.T) {
	t.Parallel()
	for _, k := range kinds[1:] {
		t.Run(k.format, func(t *testing.T) {
			t.Parallel()
			base := makeLinux(t, "one")
			if err := samePackages(io.Discard, base); err != nil {
				t.Errorf("packages of one tree differ: %v", err)
			}
			if err := os.Rename(makeLinux(t, "another")+k.suffix, base+k.suffix); err != nil {
				t.Fatal(err)
			}
			err := samePackages(io.Discard, base)
			if err == nil || !strings.Contains(err.Error(), "usr/bin/windsock is ") {
				t.Errorf("another program in the %s: got %v", k.format, err)
			}
		})
	}
}

func TestPackagesMadeTwiceAreTheSame(t *testing.T) {
	t.Parallel()
	first, second := makeLinux(t, "one"), makeLinux(t, "one")
	for _, suffix := range []string{".deb", ".rpm", ".apk", ".pkg.tar.zst", ".tar.gz"} {
		a, err := os.ReadFile(first + suffix)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(second + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs", suffix)
		}
	}
}
