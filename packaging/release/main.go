// Release makes the packages of Windsock out of one commit.
//
// It works on a clean clone of the commit, takes the version from what Go stamps
// the program with (the tag of the commit, else a pseudo-version), gives every
// file the commit's time, and so makes the same bytes wherever it runs with the
// same Go. Once the modules are downloaded it needs no network.
//
// Usage: packaging/release.sh [-out dist] [-only linux,windows,macos] [-arch amd64] [-revision HEAD] [-again]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// order is what is asked for on the command line.
type order struct {
	root, revision, out string
	systems             []string
	arch                string // "" is all
	cache               string // as builder's
}

func main() {
	var o order
	flag.StringVar(&o.root, "root", ".", "the repository")
	flag.StringVar(&o.revision, "revision", "HEAD", "what to make the packages of")
	flag.StringVar(&o.out, "out", "dist", "where to put them; a Mac's zip that lies there gets its cask and checksum")
	only := flag.String("only", "linux,windows,macos", "the systems to make packages for")
	flag.StringVar(&o.arch, "arch", "", "the architecture to make packages for (default all)")
	again := flag.Bool("again", false, "make all of it twice, the second time without Go's cache, and compare")
	check := flag.Bool("check", false, "make nothing, but look into the packages that lie in -out")
	flag.Parse()
	o.systems = strings.Split(*only, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, o, *again, *check)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, stdout io.Writer, o order, again, check bool) error {
	if check {
		return checkPackages(stdout, o.out)
	}
	var err error
	if o.revision, err = commitOf(ctx, o.root, o.revision); err != nil {
		return err
	}
	made, err := makeAll(ctx, stdout, o)
	if err != nil || !again {
		return err
	}
	return makeAgain(ctx, stdout, o, made)
}

// makeAll makes what is ordered, and returns the names of the files below o.out.
func makeAll(ctx context.Context, stdout io.Writer, o order) ([]string, error) {
	work, err := os.MkdirTemp("", "windsock-release-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	s, err := checkOut(ctx, o.root, o.revision, filepath.Join(work, "source"))
	if err != nil {
		return nil, fmt.Errorf("check out %s: %w", o.revision, err)
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil { //nolint:gosec // it is for all to read
		return nil, err
	}
	w := workshop{order: o, builder: builder{s, o.cache}, stdout: stdout}
	if w.companions, err = gather(ctx, w.builder); err != nil {
		return nil, err
	}
	if w.licence, err = s.read("LICENSE"); err != nil {
		return nil, err
	}
	if err := w.makeSystems(ctx); err != nil {
		return nil, err
	}
	v := w.companions.version
	if _, err := os.Stat(filepath.Join(o.out, macZip(v))); err == nil {
		w.tell(macZip(v))
	}
	slices.Sort(w.made)
	if err := writeSums(o.out, w.made); err != nil {
		return nil, err
	}
	written, err := writeManifests(o.out, w.companions)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, m := range manifests(v) {
		if slices.Contains(written, m.path) {
			continue
		}
		whose, _, _ := strings.Cut(m.path, "/")
		missing = append(missing, fmt.Sprintf("no manifest for %s: it needs %s\n", whose, strings.Join(m.needs, " and ")))
	}
	_, _ = io.WriteString(stdout, strings.Join(slices.Compact(missing), ""))
	return append(append(w.made, "SHA256SUMS"), written...), nil
}

// A workshop has all that the packages are made of.
type workshop struct {
	order
	builder

	companions companions
	licence    []byte
	made       []string
	stdout     io.Writer
}

func (w *workshop) makeSystems(ctx context.Context) error {
	for _, t := range targets {
		if w.arch != "" && w.arch != t.arch || !slices.Contains(w.systems, t.os) {
			continue
		}
		var names []string
		var err error
		if t.os == "linux" {
			names, err = w.makeLinux(ctx, t)
		} else {
			names, err = writeWindows(ctx, w.out, t.arch, w.builder, w.companions, w.licence)
		}
		if err != nil {
			return err
		}
		w.tell(names...)
	}
	if !slices.Contains(w.systems, "macos") {
		return nil
	}
	archive, err := writeMacOS(w.out, w.companions, w.licence, w.source)
	if err != nil {
		return err
	}
	w.tell(archive)
	return nil
}

func (w *workshop) makeLinux(ctx context.Context, t target) ([]string, error) {
	program, err := w.program(ctx, t, w.companions.version, "")
	if err != nil {
		return nil, err
	}
	tree, err := unixTree(program, w.companions, w.licence)
	if err != nil {
		return nil, err
	}
	return writeLinux(w.out, t.arch, w.companions.version, tree, w.source)
}

func (w *workshop) tell(names ...string) {
	w.made = append(w.made, names...)
	for _, file := range names {
		if info, err := os.Stat(filepath.Join(w.out, file)); err == nil {
			_, _ = fmt.Fprintf(w.stdout, "%9d  %s\n", info.Size(), file)
		}
	}
}
