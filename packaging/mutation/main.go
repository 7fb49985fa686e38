// Mutation takes each defence that SECURITY.md names out of the code, one at a
// time, and fails where a test named beside it does not fail.
//
// The files of the tree stay as they are: the compiler gets the changed one by
// its -overlay. A row of SECURITY.md, or a test in it, without a mutation is a
// failure, and so is a mutation of what is not in the file any more; of these
// `go test` tells, too.
//
// Usage: go run ./packaging/mutation [-run REGEXP]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

func main() {
	only := flag.String("run", "", "try only mutations whose file or tests match")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := check(ctx, *only); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

func check(ctx context.Context, only string) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	security, err := os.ReadFile("SECURITY.md")
	if err != nil {
		return err
	}
	apart := covered(rowsOf(string(security)), attacks)
	dir, err := os.MkdirTemp("", "windsock-mutation-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var chosen []mutation
	for _, a := range attacks {
		for _, m := range a.mutations {
			if pattern.MatchString(m.file + " " + strings.Join(m.tests, " ")) {
				chosen = append(chosen, m)
			}
		}
	}
	missed := make([]error, len(chosen))
	var trials errgroup.Group
	trials.SetLimit(2) // most of a trial is the compiler's, which uses all cores
	for i, m := range chosen {
		trials.Go(func() error {
			missed[i] = m.try(ctx, filepath.Join(dir, strconv.Itoa(i)))
			return nil // the others are tried all the same
		})
	}
	_ = trials.Wait()
	if err := errors.Join(apart, errors.Join(missed...)); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "%d defences taken out, each missed by its tests\n", len(chosen))
	return nil
}
