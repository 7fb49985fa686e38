package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// attack is a row of SECURITY.md's tables.
type attack struct {
	name      string // the row's first cell
	mutations []mutation
}

// mutation removes one defence.
type mutation struct {
	file     string
	old, new string // old occurs once in the file
	// tests must each fail: "probe TestHandshake", or with one of its cases "probe
	// TestHandshake/redirect".
	tests []string
}

// testName is the name of a test without its package and its case.
func testName(test string) string {
	_, name, _ := strings.Cut(test, " ")
	name, _, _ = strings.Cut(name, "/")
	return name
}

// try runs the tests without the defence, and reports those that pass. It creates dir
// for its own use.
func (m mutation) try(ctx context.Context, dir string) error {
	overlay, err := m.overlay(dir)
	if err != nil {
		return err
	}
	var missed []error
	for _, test := range m.tests {
		began := time.Now()
		if err := run(ctx, test, overlay); err != nil {
			missed = append(missed, fmt.Errorf("without %s's %s: %w", m.file, strings.TrimSpace(m.old), err))
			continue
		}
		fmt.Fprintf(os.Stdout, "%-44s misses %s (%.0f s)\n", test, m.file, time.Since(began).Seconds())
	}
	return errors.Join(missed...)
}

// run runs a test, and reports if it passes, or if something else fails.
func run(ctx context.Context, test, overlay string) error {
	in, name, _ := strings.Cut(test, " ")
	ctx, cancel := context.WithTimeout(ctx, 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-vet=off", "-failfast", "-timeout=3m", "-run=^"+strings.ReplaceAll(name, "/", "$/^")+"$", "./"+in)
	// In the environment, so that a test which builds the program builds this one.
	cmd.Env = append(os.Environ(), "GOFLAGS=-overlay="+overlay)
	output, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return fmt.Errorf("%s does not fail\n%s", test, output)
	case ctx.Err() != nil || !errors.As(err, &exit):
		return fmt.Errorf("run %s: %w", test, err)
	case !strings.Contains(string(output), "--- FAIL: "+testName(test)) && !strings.Contains(string(output), "\nfatal error: stack overflow"):
		return fmt.Errorf("%s does not get to fail\n%s", test, output)
	}
	return nil
}

// changed is the file without the defence.
func (m mutation) changed() (string, error) {
	text, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		return "", fmt.Errorf("%s has %q %d times, not once", m.file, m.old, n)
	}
	return strings.Replace(string(text), m.old, m.new, 1), nil
}

// overlay writes the changed file and the overlay list for the compiler.
func (m mutation) overlay(dir string) (string, error) {
	text, err := m.changed()
	if err != nil {
		return "", err
	}
	original, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	changed := filepath.Join(dir, filepath.Base(m.file))
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, list, 0o600)
}
