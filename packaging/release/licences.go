package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenceName is what projects call the file.
var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)([.-].*)?$`)

// licences joins the licences of all that is linked into the programs: their
// terms ask for that.
func licences(ctx context.Context, b builder) ([]byte, error) {
	dirs := make(map[string]string) // by what the licence is of
	for _, t := range append(slices.Clone(targets), target{"darwin", "arm64"}) {
		list, err := outputWith(ctx, b.source.dir, b.environment(t), "go", "list", "-deps", "-tags=nethttpomithttp2",
			"-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", ".")
		if err != nil {
			return nil, fmt.Errorf("list modules for %s: %w", t, err)
		}
		for line := range strings.Lines(list) {
			if of, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				dirs[of] = dir
			}
		}
	}
	goroot, err := output(ctx, b.source.dir, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	dirs["Go"] = goroot
	vendored := filepath.Join(b.source.dir, "assets", "window", "vendor")
	entries, err := os.ReadDir(vendored)
	if err != nil {
		return nil, fmt.Errorf("list libraries of the window: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() {
			dirs[e.Name()] = filepath.Join(vendored, e.Name())
		}
	}
	return joinLicences(dirs)
}

func joinLicences(dirs map[string]string) ([]byte, error) {
	var joined bytes.Buffer
	for _, of := range sortedKeys(dirs) {
		entries, err := os.ReadDir(dirs[of])
		if err != nil {
			return nil, fmt.Errorf("look for the licence of %s: %w", of, err)
		}
		found := false
		for _, e := range entries {
			if e.IsDir() || !licenceName.MatchString(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dirs[of], e.Name()))
			if err != nil {
				return nil, fmt.Errorf("read the licence of %s: %w", of, err)
			}
			found = true
			_, _ = fmt.Fprintf(&joined, "==== %s: %s\n\n%s\n\n", of, e.Name(), bytes.TrimSpace(text))
		}
		if !found {
			return nil, fmt.Errorf("look for the licence of %s: there is none", of)
		}
	}
	return joined.Bytes(), nil
}
