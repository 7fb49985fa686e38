package probe

import (
	"context"
	"errors"
	"iter"
	"slices"

	"windsock/probe/signin"
)

// Cache is what an editor keeps of the plan, and whose it is; there is no process.
type Cache struct {
	signin.Cache

	Server Server
}

// Caches returns what editors keep of the plan on this computer: by variant in the
// order of the list, then as Dirs.Caches has it. Nothing is kept, and the API key
// goes nowhere.
func (f *Finder) Caches(ctx context.Context, list []Variant) iter.Seq2[Cache, error] {
	return func(yield func(Cache, error) bool) {
		for _, v := range list {
			dirs, _ := v.dataDirs("")
			for c, err := range f.dirs.Caches(ctx, dirs) {
				owner := Server{Variant: v.ID, App: v.appOf(c.Dir)}
				if !yield(Cache{c, owner}, err) || err != nil && errors.Is(err, ctx.Err()) {
					return
				}
			}
		}
	}
}

// appOf is what a person calls the app that writes to a data directory.
func (v Variant) appOf(dataDir string) string {
	for _, a := range v.apps {
		if slices.Contains(a.dataDirs, dataDir) {
			return a.name
		}
	}
	return v.Name
}

// SignIns are the stored sign-ins of a variant that does not run.
func (f *Finder) SignIns(ctx context.Context, v Variant) []signin.SignIn {
	dirs, _ := v.dataDirs("")
	return f.dirs.SignIns(ctx, dirs, nil)
}

// Dirs are the directories that the Finder looks for sign-ins in.
func (f *Finder) Dirs() signin.Dirs { return f.dirs }
