package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// companions are what goes with the program, as it gives them itself.
type companions struct {
	version     version
	icons       map[int][]byte    // PNG by size
	completions map[string][]byte // by shell: bash, zsh, fish, ps1
	manual      map[string][]byte // pages by name, as windsock-status.1
	licences    []byte            // of everything that is linked into the program
}

// grafts are files that are built into the program to ask it, and the directories
// that they are built in.
var grafts = map[string]string{
	"graft/program/graft.go": "tray/app",
	"graft/icon/large.go":    "tray/icon",
}

// gather builds the program with the grafts, runs it, and reads what it writes.
func gather(ctx context.Context, b builder) (companions, error) {
	work, err := os.MkdirTemp("", "windsock-graft-")
	if err != nil {
		return companions{}, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	replace := make(map[string]string)
	for file, dir := range grafts {
		replace[filepath.Join(b.source.dir, dir, filepath.Base(file))] = filepath.Join(b.source.dir, "packaging", "release", file)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return companions{}, err
	}
	overlayFile, program, out := filepath.Join(work, "overlay.json"), filepath.Join(work, name+".exe"), filepath.Join(work, "out")
	if err := os.WriteFile(overlayFile, overlay, 0o600); err != nil {
		return companions{}, err
	}
	if err := os.Mkdir(out, 0o700); err != nil {
		return companions{}, err
	}
	host := b.environment(target{runtime.GOOS, runtime.GOARCH})
	_, err = outputWith(ctx, b.source.dir, host, "go", "build",
		"-trimpath", "-buildvcs=true", "-tags=nethttpomithttp2,graft", "-ldflags=-s -w", "-overlay", overlayFile, "-o", program, ".")
	if err != nil {
		return companions{}, fmt.Errorf("build with grafts: %w", err)
	}
	if _, err := output(ctx, work, program, out); err != nil {
		return companions{}, fmt.Errorf("ask the program: %w", err)
	}
	c, err := readGrafted(os.DirFS(out), b.source)
	if err != nil {
		return companions{}, err
	}
	if c.version, err = stamped(program); err != nil {
		return companions{}, err
	}
	c.licences, err = licences(ctx, b)
	return c, err
}

// image is the icon of that size.
func (c companions) image(size int) (image.Image, error) {
	m, err := png.Decode(bytes.NewReader(c.icons[size]))
	if err != nil {
		return nil, fmt.Errorf("read icon of %d pixels: %w", size, err)
	}
	return m, nil
}

// shellFile is what a shell wants its completions for the program to be called.
func shellFile(shell string) string {
	switch shell {
	case "zsh":
		return "_" + name
	case "bash":
		return name
	default:
		return strings.Join([]string{name, shell}, ".")
	}
}
