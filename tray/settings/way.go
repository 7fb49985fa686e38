package settings

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// place is a file and the directory that its events are told of in.
type place struct{ dir, name string }

// wayTo is every place where something may happen that makes path lead to
// another file: the links on the way, and its end, or the first thing on the
// way that is not there. path is absolute.
func wayTo(path string) []place {
	var way []place
	dir, rest := split(path)
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			dir = filepath.Dir(dir)
			continue
		}
		next := filepath.Join(dir, name)
		info, err := os.Lstat(next)
		switch {
		case err != nil:
			return append(way, place{dir, next})
		case info.Mode()&fs.ModeSymlink != 0:
			way = append(way, place{dir, next})
			target, err := os.Readlink(next)
			if links++; err != nil || links > 40 {
				return way
			}
			if filepath.IsAbs(target) {
				dir, _ = split(target)
			}
			_, parts := split(target)
			rest = append(parts, rest...)
		case len(rest) == 0, !info.IsDir():
			return append(way, place{dir, next})
		default:
			dir = next
		}
	}
	return way
}

// split is a path's root and its parts.
func split(path string) (root string, parts []string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator),
		strings.Split(filepath.ToSlash(path[len(volume):]), "/")
}
