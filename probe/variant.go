package probe

import (
	"path"
	"slices"
	"strings"

	"windsock/probe/system"
)

// The products, as Variant and Answer name them.
const (
	Windsurf    = "windsurf"
	Antigravity = "antigravity"
)

// Variant is one product line of an editor, with its own language server and its own
// data on disk. Source: PROTOCOL.md 4.1, and 8.1 for Antigravity.
type Variant struct {
	// Product is Windsurf or Antigravity: it decides what the server is asked.
	Product string
	// ID names the variant in JSON and on the command line.
	ID string
	// Name is the display name where no app of the variant is known to run.
	Name string
	// ideName is the value of --ide_name, matched by equality. Devin Desktop kept the
	// names of the Windsurf apps that it replaced.
	ideName string
	apps    []app
	// regional says that its sign-in may be Windsurf's, if it has none of its own.
	regional bool
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
		Product: Windsurf, ID: "windsurf", Name: "Windsurf (Devin Desktop)", ideName: "windsurf",
		apps: []app{
			{"Windsurf", []string{"windsurf"}, []string{"Windsurf"}},
			{"Devin Desktop", []string{"devin", "devin-desktop"}, []string{"Devin", "devin"}},
		},
	},
	{
		Product: Windsurf, ID: "windsurf-next", Name: "Windsurf Next", ideName: "windsurf-next",
		apps: []app{
			{"Windsurf Next", []string{"windsurf-next", "windsurf - next"}, []string{"Windsurf - Next", "Windsurf-Next"}},
			{"Devin Next", []string{"devin-next", "devin - next", "devin-desktop-next"}, []string{"Devin - Next"}},
		},
	},
	{
		Product: Windsurf, ID: "windsurf-insiders", Name: "Windsurf Insiders", ideName: "windsurf-insiders",
		apps: []app{
			{"Windsurf Insiders", []string{"windsurf-insiders", "windsurf - insiders", "windsurf insiders"}, []string{"Windsurf Insiders"}},
		},
	},
	regional("eu", "EU"),
	regional("fed", "Fed"),
	regional("secure", "Secure"),
	regional("dev", "Dev"),
	{Product: Antigravity, ID: "antigravity", Name: "Antigravity", ideName: "antigravity"},
}

// regional is a build of Windsurf for some customers. Its --ide_name alone is known;
// its places are those that Next and Insiders would have with its name.
func regional(id, name string) Variant {
	id, spaced, dashed := "windsurf-"+id, "Windsurf "+name, "Windsurf - "+name
	return Variant{
		Product: Windsurf, ID: id, Name: spaced, ideName: id, regional: true,
		apps: []app{{spaced, []string{id, strings.ToLower(spaced), strings.ToLower(dashed)}, []string{dashed, spaced}}},
	}
}

// Variants returns the known variants in the order in which they are tried, Windsurf's
// first.
func Variants() []Variant { return slices.Clone(variants) }

// VariantsOf returns the variants of a product, in the order of Variants.
func VariantsOf(product string) []Variant {
	return slices.DeleteFunc(Variants(), func(v Variant) bool { return v.Product != product })
}

// VariantIDs lists the IDs of variants for people: "a, b and c".
func VariantIDs(list []Variant) string {
	ids := make([]string, len(list))
	for i, v := range list {
		ids[i] = v.ID
	}
	if len(ids) < 2 {
		return strings.Join(ids, "")
	}
	return strings.Join(ids[:len(ids)-1], ", ") + " and " + ids[len(ids)-1]
}

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

// DataDirs are the names of the variant's own data directories, below the user's
// configuration. Source: PROTOCOL.md 4.1.
func (v Variant) DataDirs() (dirs []string) {
	for _, a := range v.apps {
		dirs = append(dirs, a.dataDirs...)
	}
	return dirs
}

// owns reports whether p is a server of this variant. The flags decide. The path counts
// only if no flag names an editor, because it can hold the name of another one
// (PROTOCOL.md 4.4).
func (v Variant) owns(p system.Process) bool {
	kind := antigravityKind(p)
	if v.Product == Antigravity {
		return kind != notAntigravity
	}
	if kind != notAntigravity {
		return false
	}
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

// appName is the display name of the app that runs p.
func (v Variant) appName(p system.Process) string {
	if v.Product == Antigravity {
		return antigravityKind(p).name()
	}
	if a, ok := v.appAt(p.Path); ok {
		return a.name
	}
	return v.Name
}

// signInDirs are the data directories in which the server at path may find its sign-in,
// and those of them to be read first: the directories of the app that it was installed
// with, or, for a regional build, its own before Windsurf's.
func (v Variant) signInDirs(path string) (all, first []string) {
	if v.regional {
		return append(v.DataDirs(), variants[0].DataDirs()...), v.DataDirs()
	}
	installed, _ := v.appAt(path)
	return v.DataDirs(), installed.dataDirs
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
