// Vendorcheck holds the libraries of the window's page against the npm packages
// that they were taken from.
//
// The list beside the libraries names each package with its version, its licence
// and its files with their checksums. The check fetches those packages with npm
// pack, and fails where a file is not the package's byte for byte, where its
// checksum or the licence is another one, and where a file lies there that the
// list does not name. No package's scripts are run.
//
// Usage: go run ./packaging/vendorcheck [-update] [directory]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	update := flag.Bool("update", false, "take the files from the packages and write their checksums")
	flag.Parse()
	dir := "assets/window/vendor"
	if flag.NArg() > 0 {
		dir = flag.Arg(0)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, dir, *update); err != nil {
		fmt.Fprintln(os.Stderr, "vendorcheck:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

func run(ctx context.Context, dir string, update bool) error {
	list, err := readList(dir)
	if err != nil {
		return err
	}
	sources := map[string]contents{}
	for _, p := range list {
		if sources[p.Name], err = fetch(ctx, p.Name+"@"+p.Version); err != nil {
			return err
		}
	}
	if update {
		return list.write(dir, sources)
	}
	return list.check(dir, sources)
}
