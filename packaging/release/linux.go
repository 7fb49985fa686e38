package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk" // each names itself to nfpm
	_ "github.com/goreleaser/nfpm/v2/arch"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// A kind of package for Linux: nfpm's name for it, the end of its file's name, the
// version as it sorts there, and what it has room to say.
type kind struct {
	format, suffix string
	version        func(version) string
	description    string
}

var kinds = []kind{
	{"deb", ".deb", version.tilde, description},
	{"rpm", ".rpm", version.tilde, description},
	{"archlinux", ".pkg.tar.zst", version.arch, summary},
	{"apk", ".apk", version.apk, summary},
}

// writeLinux makes the packages of one architecture and the archive for everybody
// else, and returns their names.
func writeLinux(out, arch string, v version, tree []file, s source) ([]string, error) {
	base := name + "-" + v.plain() + "-linux-" + arch
	names := []string{base + ".tar.gz"}
	if err := writeTar(filepath.Join(out, names[0]), tree, s.time); err != nil {
		return nil, err
	}
	stage, err := os.MkdirTemp("", "windsock-stage-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	contents, err := staged(stage, tree, s)
	if err != nil {
		return nil, err
	}
	for _, k := range kinds {
		if err := writePackage(filepath.Join(out, base+k.suffix), k, arch, v, contents, s); err != nil {
			return nil, fmt.Errorf("make %s for %s: %w", k.format, arch, err)
		}
		names = append(names, base+k.suffix)
	}
	return names, nil
}

// staged writes the files where nfpm can read them.
func staged(dir string, tree []file, s source) (files.Contents, error) {
	var contents files.Contents
	for i, f := range tree {
		path := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(path, f.data, 0o600); err != nil {
			return nil, fmt.Errorf("stage %s: %w", f.path, err)
		}
		contents = append(contents, &files.Content{
			Source: path, Destination: "/usr/" + f.path,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: os.FileMode(f.mode), MTime: s.time},
		})
	}
	return contents, nil
}

func writePackage(path string, k kind, arch string, v version, contents files.Contents, s source) error {
	packager, err := nfpm.Get(k.format)
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: name, Arch: arch, Platform: "linux", Version: k.version(v), VersionSchema: "none", Release: "1",
		Section: "utils", Priority: "optional", Maintainer: maintainer, Vendor: authors, Homepage: repository, License: licence,
		Description: k.description, MTime: s.time, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Contents: contents,
			// What opens the plan's page and the window; everything else is in the program.
			Recommends: []string{"xdg-utils"},
			RPM:        nfpm.RPM{Summary: summary, Group: "Applications/System", Packager: maintainer, BuildHost: "localhost", Compression: "gzip:9"},
			Deb:        nfpm.Deb{Compression: "gzip"},
			ArchLinux:  nfpm.ArchLinux{Packager: maintainer},
		},
	})
	if err := nfpm.PrepareForPackager(info, k.format); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := packager.Package(info, &b); err != nil {
		return err
	}
	return writeFile(path, b.Bytes())
}
