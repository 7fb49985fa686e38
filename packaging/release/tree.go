package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"fmt"
	"maps"
	"slices"
)

// A file of a package or an archive. Its time is the commit's, its owner root.
type file struct {
	path string // with slashes, from the root of what it is in
	mode uint32
	data []byte
}

const (
	plainMode   = 0o644
	programMode = 0o755
)

//go:embed templates/windsock.desktop
var desktopEntry []byte

// hicolor are the sizes that launchers and panels ask the icon theme for.
var hicolor = []int{16, 22, 24, 32, 48, 64, 128, 256, 512}

// unixTree is what is installed below a prefix: /usr, or ~/.local. There is no
// autostart entry among it; the app makes one when it is asked to.
func unixTree(program []byte, c companions, licence []byte) ([]file, error) {
	files := []file{
		{"bin/" + name, programMode, program},
		{"share/applications/" + name + ".desktop", plainMode, desktopEntry},
		{"share/doc/" + name + "/copyright", plainMode, licence},
		{"share/doc/" + name + "/licences-of-libraries.txt", plainMode, c.licences},
		{"share/bash-completion/completions/" + shellFile("bash"), plainMode, c.completions["bash"]},
		{"share/zsh/site-functions/" + shellFile("zsh"), plainMode, c.completions["zsh"]},
		{"share/fish/vendor_completions.d/" + shellFile("fish"), plainMode, c.completions["fish"]},
		{"share/powershell/Completions/" + shellFile("ps1"), plainMode, c.completions["ps1"]},
	}
	for _, size := range hicolor {
		path := fmt.Sprintf("share/icons/hicolor/%dx%d/apps/%s.png", size, size, name)
		files = append(files, file{path, plainMode, c.icons[size]})
	}
	for _, page := range sortedKeys(c.manual) {
		packed, err := gzipped(c.manual[page])
		if err != nil {
			return nil, err
		}
		files = append(files, file{"share/man/man1/" + page + ".gz", plainMode, packed})
	}
	for _, f := range files {
		if len(f.data) == 0 {
			return nil, fmt.Errorf("put together the files: %s is empty", f.path)
		}
	}
	return sorted(files), nil
}

// gzipped has neither name nor time in it.
func gzipped(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.path, b.path) })
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
