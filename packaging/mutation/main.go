// Mutation removes each defence in SECURITY.md from the code, one at a time. It fails
// if a test named beside the defence still passes.
//
// It does not change the tree: the compiler gets the mutated file by -overlay. It also
// fails for a row of SECURITY.md, or a test in one, without a mutation, and for a
// mutation whose text is no longer in its file; `go test` reports these, too.
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
	trials.SetLimit(2) // a trial is mostly the compiler, which uses all cores
	for i, m := range chosen {
		trials.Go(func() error {
			missed[i] = m.try(ctx, filepath.Join(dir, strconv.Itoa(i)))
			return nil // the other mutations are still tried
		})
	}
	_ = trials.Wait()
	if err := errors.Join(apart, errors.Join(missed...)); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "%d defences taken out, each missed by its tests\n", len(chosen))
	return nil
}
