package main

import (
	_ "embed"
	"fmt"
	"path/filepath"
)

//go:embed templates/Info.plist
var infoPlist string

// writeMacOS makes the bundle but for its program, which needs Apple's headers:
// macos.sh builds it on a Mac and puts it in. It returns the name of the archive.
func writeMacOS(out string, c companions, licence []byte, s source) (string, error) {
	icon, err := encodeICNS(c.icons)
	if err != nil {
		return "", err
	}
	plist, err := expand("Info.plist", infoPlist, c.version, nil)
	if err != nil {
		return "", err
	}
	const contents = title + ".app/Contents/"
	files := []file{
		{contents + "Info.plist", plainMode, plist},
		{contents + "PkgInfo", plainMode, []byte("APPL????")},
		{contents + "Resources/" + name + ".icns", plainMode, icon},
		{contents + "Resources/LICENSE.txt", plainMode, licence},
		{contents + "Resources/licences-of-libraries.txt", plainMode, c.licences},
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		files = append(files, file{contents + "Resources/completions/" + shellFile(shell), plainMode, c.completions[shell]})
	}
	for page, text := range c.manual {
		files = append(files, file{contents + "Resources/man/" + page, plainMode, text})
	}
	for _, f := range files {
		if len(f.data) == 0 {
			return "", fmt.Errorf("put together the bundle: %s is empty", f.path)
		}
	}
	archive := name + "-" + c.version.plain() + "-macos-without-program.tar.gz"
	return archive, writeTar(filepath.Join(out, archive), files, s.time)
}

// macZip is what macos.sh makes.
func macZip(v version) string { return name + "-" + v.plain() + macZipEnd }

const macZipEnd = "-macos.zip"
