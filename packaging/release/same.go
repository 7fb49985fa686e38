package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// samePackages tells whether the packages of an architecture that lie in dir hold
// the same files with the same modes, whatever they are made for.
func samePackages(stdout io.Writer, dir string) error {
	debs, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil {
		return err
	}
	if len(debs) == 0 {
		return errors.New("compare packages: there are none")
	}
	var differ []error
	for _, deb := range debs {
		want, err := readContents(deb)
		if err != nil {
			return err
		}
		for _, k := range kinds[1:] {
			got, err := readContents(strings.TrimSuffix(deb, ".deb") + k.suffix)
			if err != nil {
				return err
			}
			for _, path := range slices.Compact(slices.Sorted(slices.Values(append(sortedKeys(want), sortedKeys(got)...)))) {
				if want[path] != got[path] {
					differ = append(differ, fmt.Errorf("%s of %s: %s has %q, deb %q", path, filepath.Base(deb), k.format, got[path], want[path]))
				}
			}
		}
		_, _ = fmt.Fprintf(stdout, "%d files in each package beside %s\n", len(want), filepath.Base(deb))
	}
	return errors.Join(differ...)
}
