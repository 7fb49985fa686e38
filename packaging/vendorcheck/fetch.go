package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// contents are the files of a package by their path in it.
type contents map[string][]byte

// maxFile is more than any file of a library has.
const maxFile = 16 << 20

// fetch gets a package from npm's registry and unpacks it in memory. npm holds
// the archive against the registry's own checksum.
func fetch(ctx context.Context, spec string) (contents, error) {
	dir, err := os.MkdirTemp("", "vendorcheck")
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", spec, err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var stderr bytes.Buffer
	pack := exec.CommandContext(ctx, "npm", "pack", "--silent", "--ignore-scripts", spec)
	pack.Dir, pack.Stderr = dir, &stderr
	if err := pack.Run(); err != nil {
		return nil, fmt.Errorf("fetch %s: npm pack: %w: %s", spec, err, strings.TrimSpace(stderr.String()))
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return nil, fmt.Errorf("fetch %s: npm pack left %d archives", spec, len(archives))
	}
	archive, err := os.ReadFile(archives[0])
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", spec, err)
	}
	files, err := unpack(archive)
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", spec, err)
	}
	return files, nil
}

// unpack reads an archive of npm's: everything in it lies in one directory.
func unpack(archive []byte) (contents, error) {
	plain, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	files := contents{}
	for members := tar.NewReader(plain); ; {
		header, err := members.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		_, name, inside := strings.Cut(header.Name, "/")
		if header.Typeflag != tar.TypeReg || !inside {
			continue
		}
		if header.Size > maxFile {
			return nil, fmt.Errorf("%s has %d bytes", name, header.Size)
		}
		if files[name], err = io.ReadAll(io.LimitReader(members, maxFile)); err != nil {
			return nil, err
		}
	}
}
