// Darwincheck type-checks the module for macOS on a machine without a Mac.
//
// systray needs cgo and Apple's headers there, so a plain cross-build stops before it
// reaches our code. The check asks go list for the files of every package, including
// cgo files, and type-checks them without checking the uses of "C": it finds type
// errors in Go, but not those that only Apple's compiler can find.
//
// Usage: go run ./packaging/darwincheck [-goarch arm64] [packages]
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	arch := flag.String("goarch", "arm64", "architecture to check for")
	flag.Parse()
	patterns := flag.Args()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	if err := run(context.Background(), os.Stdout, *arch, patterns); err != nil {
		fmt.Fprintln(os.Stderr, "darwincheck:", err)
		os.Exit(1)
	}
}

// listed is the output of go list for a package.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	CgoFiles   []string
	ImportMap  map[string]string
	Standard   bool
	Error      *struct{ Err string }
}

func run(ctx context.Context, out io.Writer, arch string, patterns []string) error {
	args := append([]string{"list", "-e", "-deps", "-json=ImportPath,Dir,GoFiles,CgoFiles,ImportMap,Standard,Error"}, patterns...)
	list := exec.CommandContext(ctx, "go", args...)
	list.Env = append(os.Environ(), "GOOS=darwin", "GOARCH="+arch, "CGO_ENABLED=1")
	list.Stderr = os.Stderr
	data, err := list.Output()
	if err != nil {
		return fmt.Errorf("list packages: %w", err)
	}
	c := checker{fset: token.NewFileSet(), arch: arch, done: map[string]*types.Package{"unsafe": types.Unsafe}}
	// go list prints dependencies first.
	for decoder := json.NewDecoder(bytes.NewReader(data)); ; {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read package list: %w", err)
		}
		c.check(p)
	}
	for _, found := range c.found {
		fmt.Fprintln(out, found)
	}
	fmt.Fprintf(out, "darwin/%s: %d packages outside the standard library, %d errors\n", arch, c.checked, len(c.found))
	if len(c.found) > 0 || c.checked == 0 {
		return errors.New("the module does not type-check for macOS")
	}
	return nil
}

type checker struct {
	fset    *token.FileSet
	arch    string
	done    map[string]*types.Package
	checked int
	found   []error
}

func (c *checker) check(p listed) {
	if p.ImportPath == "unsafe" {
		return
	}
	if p.Error != nil && !p.Standard {
		c.found = append(c.found, fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err))
	}
	var files []*ast.File
	for _, name := range append(p.GoFiles, p.CgoFiles...) {
		file, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			c.found = append(c.found, err)
			continue
		}
		files = append(files, file)
	}
	config := types.Config{
		FakeImportC:      true,
		IgnoreFuncBodies: p.Standard,
		Importer:         importer{c.done, p.ImportMap},
		Sizes:            types.SizesFor("gc", c.arch),
		Error: func(err error) {
			if !p.Standard {
				c.found = append(c.found, err)
			}
		},
	}
	c.done[p.ImportPath], _ = config.Check(p.ImportPath, c.fset, files, nil) // Error has it
	if !p.Standard {
		c.checked++
	}
}

// importer returns the packages that have been checked.
type importer struct {
	done    map[string]*types.Package
	renamed map[string]string
}

// Import implements types.Importer.
func (i importer) Import(path string) (*types.Package, error) {
	if other, ok := i.renamed[path]; ok {
		path = other
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %q", path)
}
