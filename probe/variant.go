package probe

import (
	"path"
	"slices"
	"strings"

	"windsock/probe/system"
)

// Variant is one product line of the editor, with its own language server and its own
// data on disk. Source: PROTOCOL.md 4.1.
type Variant struct {
	// ID names the variant in JSON and on the command line.
	ID string
	// Name is the display name while no app of the variant runs.
	Name string
	// ideName is the value of --ide_name, matched by equality. Devin Desktop kept the
	// names of the Windsurf apps that it replaced.
	ideName string
	apps    []app
}

// app is one product name of a variant.
type app struct {
	name string
	// roots are the base names of its installation directory, in lower case.
	roots []string
	// dataDirs are the names of its directories below the user's configuration.
	dataDirs []string
}

// variants are all known variants, in the order in which they are tried.
var variants = []Variant{
	{
		ID: "windsurf", Name: "Windsurf", ideName: "windsurf",
		apps: []app{
			{"Windsurf", []string{"windsurf"}, []string{"Windsurf"}},
			{"Devin Desktop", []string{"devin", "devin-desktop"}, []string{"Devin", "devin"}},
		},
	},
	{
		ID: "windsurf-next", Name: "Windsurf Next", ideName: "windsurf-next",
		apps: []app{
			{"Windsurf Next", []string{"windsurf-next", "windsurf - next"}, []string{"Windsurf - Next", "Windsurf-Next"}},
			{"Devin Next", []string{"devin-next", "devin - next", "devin-desktop-next"}, []string{"Devin - Next"}},
		},
	},
	{
		ID: "windsurf-insiders", Name: "Windsurf Insiders", ideName: "windsurf-insiders",
		apps: []app{
			{"Windsurf Insiders", []string{"windsurf-insiders", "windsurf - insiders", "windsurf insiders"}, []string{"Windsurf Insiders"}},
		},
	},
}

// Variants returns the known variants in the order in which they are tried.
func Variants() []Variant { return slices.Clone(variants) }

// LookupVariant returns the variant with that ID, with or without the prefix
// "windsurf-".
func LookupVariant(id string) (Variant, bool) {
	for _, v := range variants {
		if v.ID == id || v.ID == "windsurf-"+id {
			return v, true
		}
	}
	return Variant{}, false
}

// owns reports whether p is a server of this variant. The flags decide. The path counts
// only if no flag names an editor, because it can hold the name of another one
// (PROTOCOL.md 4.4).
func (v Variant) owns(p system.Process) bool {
	if p.OverrideIDEName != "" && p.OverrideIDEName != v.ideName {
		return false
	}
	if strings.Contains(p.AppDataDir, "antigravity") {
		return false
	}
	switch {
	case p.IDEName != "":
		return p.IDEName == v.ideName
	case p.OverrideIDEName != "":
		return true
	default:
		_, ok := v.appAt(p.Path)
		return ok
	}
}

// appAt returns the app that the server at path was installed with.
func (v Variant) appAt(path string) (app, bool) {
	root := appRoot(path)
	for _, a := range v.apps {
		if slices.Contains(a.roots, root) {
			return a, true
		}
	}
	return app{}, false
}

// appName is the display name of the app that runs the server at path.
func (v Variant) appName(path string) string {
	if a, ok := v.appAt(path); ok {
		return a.name
	}
	return v.Name
}

// dataDirs are the variant's data directories, and those of the app that the server
// at path was installed with.
func (v Variant) dataDirs(path string) (all, own []string) {
	for _, a := range v.apps {
		all = append(all, a.dataDirs...)
	}
	installed, _ := v.appAt(path)
	return all, installed.dataDirs
}

// appRoot returns the lower-case base name of an editor's installation directory or
// bundle: "windsurf - next" for
// /Applications/Windsurf - Next.app/Contents/Resources/app/extensions/…. If the layout
// is unknown, it is the directory of the binary. The innermost layout counts: a
// directory around it may have the name of a part of it.
func appRoot(file string) string {
	file = strings.ToLower(strings.ReplaceAll(file, `\`, "/"))
	root := path.Dir(file)
	for _, inside := range []string{".app/contents/", "/resources/app/"} {
		if i := strings.LastIndex(file, inside); i >= 0 {
			root = file[:i]
			break
		}
	}
	return strings.TrimSuffix(path.Base(root), ".app")
}
