package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// checkPackages looks into the packages that lie in dir.
func checkPackages(stdout io.Writer, dir string) error {
	debs, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil {
		return err
	}
	zips, err := filepath.Glob(filepath.Join(dir, "*-windows-*.zip"))
	if err != nil {
		return err
	}
	if len(debs) == 0 || len(zips) == 0 {
		return errors.New("check packages: there is no deb, or no zip for Windows")
	}
	var wrong []error
	for _, deb := range debs {
		wrong = append(wrong, samePackages(stdout, strings.TrimSuffix(deb, ".deb")))
	}
	for _, archive := range zips {
		if err := checkWindows(archive); err != nil {
			wrong = append(wrong, fmt.Errorf("check %s: %w", filepath.Base(archive), err))
			continue
		}
		_, _ = fmt.Fprintf(stdout, "resources and subsystems are right in %s\n", filepath.Base(archive))
	}
	return errors.Join(wrong...)
}

// samePackages tells whether all packages of an architecture hold the same files
// with the same modes. base is their path without the suffix.
func samePackages(stdout io.Writer, base string) error {
	want, err := readContents(base + kinds[0].suffix)
	if err != nil {
		return err
	}
	var differ []error
	for _, k := range kinds[1:] {
		got, err := readContents(base + k.suffix)
		if err != nil {
			return err
		}
		paths := append(sortedKeys(want), sortedKeys(got)...)
		slices.Sort(paths)
		for _, path := range slices.Compact(paths) {
			if want[path] != got[path] {
				differ = append(differ, fmt.Errorf("compare %s: %s is %q, and %q in the %s", filepath.Base(base), path, got[path], want[path], kinds[0].format))
			}
		}
	}
	_, _ = fmt.Fprintf(stdout, "%d files in each package of %s\n", len(want), filepath.Base(base))
	return errors.Join(differ...)
}
