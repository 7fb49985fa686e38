package probe

import (
	"context"
	"errors"
	"iter"
	"slices"

	"windsock/probe/signin"
)

// Cache is the plan that an editor keeps on disk, and the editor. It has no process.
type Cache struct {
	signin.Cache

	Server Server
}

// Caches returns the plans that editors keep on this computer: by variant in the order
// of the list, then in the order of Dirs.Caches. Nothing is stored, and no API key is
// sent.
func (f *Finder) Caches(ctx context.Context, list []Variant) iter.Seq2[Cache, error] {
	return func(yield func(Cache, error) bool) {
		for _, v := range list {
			if v.Product != Windsurf {
				continue // what the others keep lies beside their tokens
			}
			for c, err := range f.dirs.Caches(ctx, v.DataDirs()) {
				owner := Server{Variant: v.ID, App: v.AppOf(c.Dir)}
				if !yield(Cache{c, owner}, err) || err != nil && errors.Is(err, ctx.Err()) {
					return
				}
			}
		}
	}
}

// AppOf is the display name of the app that writes to a data directory.
func (v Variant) AppOf(dataDir string) string {
	for _, a := range v.apps {
		if slices.Contains(a.dataDirs, dataDir) {
			return a.name
		}
	}
	return v.Name
}

// SignIns are the stored sign-ins of a variant that is not running; none for another
// product than Windsurf.
func (f *Finder) SignIns(ctx context.Context, v Variant) []signin.SignIn {
	if v.Product != Windsurf {
		return nil
	}
	return f.dirs.SignIns(ctx, v.DataDirs(), nil)
}

// Dirs are the directories in which the Finder looks for sign-ins.
func (f *Finder) Dirs() signin.Dirs { return f.dirs }
