package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
)

// A target is what a program is built for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// targets are those that need no compiler but Go's. For macOS see macos.sh.
var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

// A builder builds the program as it is shipped.
type builder struct {
	source source
	// cache is Go's, or an empty directory where nothing may be taken of an earlier
	// build.
	cache string
}

// environment is the same wherever it is built; what a person has set for their
// own builds does not count.
func (b builder) environment(t target) []string {
	env := []string{
		"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=-mod=readonly", "GOWORK=off", "GOEXPERIMENT=", "GODEBUG=",
	}
	if b.cache != "" {
		env = append(env, "GOCACHE="+b.cache)
	}
	return env
}

// build writes the program for t to path. ldflags are added to those that strip
// it.
func (b builder) build(ctx context.Context, t target, path, ldflags string) error {
	_, err := outputWith(ctx, b.source.dir, b.environment(t), "go", "build",
		"-trimpath", "-buildvcs=true", "-tags=nethttpomithttp2", "-ldflags=-s -w"+ldflags, "-o", path, ".")
	if err != nil {
		return fmt.Errorf("build for %s: %w", t, err)
	}
	return nil
}

// stamped is the version that Go has put into a program.
func stamped(path string) (version, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return version{}, fmt.Errorf("read version of the program: %w", err)
	}
	return parseVersion(info.Main.Version)
}

// program builds for t and returns the file's bytes, if it is of that version.
func (b builder) program(ctx context.Context, t target, v version, ldflags string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "windsock-program-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, name)
	if err := b.build(ctx, t, path, ldflags); err != nil {
		return nil, err
	}
	built, err := stamped(path)
	if err != nil {
		return nil, err
	}
	if built != v {
		return nil, fmt.Errorf("build for %s: it is of version %s, not %s", t, built.tag, v.tag)
	}
	return os.ReadFile(path)
}
