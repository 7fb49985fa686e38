package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A source is a clean copy of one commit. Nothing that lies about in the tree
// that it was taken of gets into a package, and Go stamps the program with the
// commit's tag.
type source struct {
	dir  string
	time time.Time // of the commit; every file of a package bears it
}

// commitOf is the commit that a revision names now; HEAD may be another one soon.
func commitOf(ctx context.Context, root, revision string) (string, error) {
	return output(ctx, root, "git", "rev-parse", "--verify", revision+"^{commit}")
}

// checkOut clones the repository at root into dir, at the commit.
func checkOut(ctx context.Context, root, commit, dir string) (source, error) {
	if _, err := output(ctx, root, "git", "clone", "--quiet", "--shared", "--no-checkout", root, dir); err != nil {
		return source{}, err
	}
	if _, err := output(ctx, dir, "git", "checkout", "--quiet", "--detach", commit); err != nil {
		return source{}, err
	}
	seconds, err := output(ctx, dir, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return source{}, err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return source{}, fmt.Errorf("read time of the commit: %w", err)
	}
	// Go calls a tree with a new file in it dirty, and the resources for Windows are
	// one.
	exclude := filepath.Join(dir, ".git", "info", "exclude")
	if err := os.WriteFile(exclude, []byte("/*.syso\n"), 0o600); err != nil {
		return source{}, fmt.Errorf("exclude resources: %w", err)
	}
	return source{dir, time.Unix(unix, 0).UTC()}, nil
}

// read is a file of the source.
func (s source) read(path string) ([]byte, error) {
	return os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(path)))
}

// output runs a command in dir, and returns what it wrote without the space around
// it.
func output(ctx context.Context, dir, program string, args ...string) (string, error) {
	return outputWith(ctx, dir, nil, program, args...)
}

func outputWith(ctx context.Context, dir string, environment []string, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), environment...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("run %s %s: %w\n%s", program, args[0], err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}
