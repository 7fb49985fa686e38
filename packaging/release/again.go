package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// makeAgain makes everything once more, in another directory and with nothing that
// Go has kept of the first time, and compares each file.
func makeAgain(ctx context.Context, stdout io.Writer, o order, made []string) error {
	work, err := os.MkdirTemp("", "windsock-again-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	second := o
	second.out, second.cache = filepath.Join(work, "out"), filepath.Join(work, "cache")
	if err := os.MkdirAll(second.out, 0o700); err != nil {
		return err
	}
	for _, file := range made {
		if !strings.HasSuffix(file, macZipEnd) { // which was not made here
			continue
		}
		data, err := os.ReadFile(filepath.Join(o.out, file))
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(second.out, file), data); err != nil {
			return err
		}
	}
	if _, err := makeAll(ctx, io.Discard, second); err != nil {
		return fmt.Errorf("make all again: %w", err)
	}
	var differ []error
	for _, file := range made {
		first, errFirst := os.ReadFile(filepath.Join(o.out, file))
		other, errOther := os.ReadFile(filepath.Join(second.out, file))
		if err := errors.Join(errFirst, errOther); err != nil {
			return fmt.Errorf("compare %s: %w", file, err)
		}
		if !bytes.Equal(first, other) {
			differ = append(differ, fmt.Errorf("compare %s: the second time it was another", file))
		}
	}
	if err := errors.Join(differ...); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(stdout, "%d files are the same when made again\n", len(made))
	return nil
}
