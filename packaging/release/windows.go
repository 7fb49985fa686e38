package main

import (
	"bytes"
	"context"
	"debug/pe"
	"fmt"
	"image"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tc-hib/winres"
	winversion "github.com/tc-hib/winres/version"
)

// Windows has no program that is for the desktop and for the terminal: one for
// the desktop writes nothing into a terminal, and one for the terminal opens a
// window of it on the desktop. So there are two, as with python and pythonw.
var windowsPrograms = []struct {
	file, ldflags string
	subsystem     uint16 // in the file's header
}{
	{name + ".exe", "", pe.IMAGE_SUBSYSTEM_WINDOWS_CUI},
	{name + "w.exe", " -H=windowsgui", pe.IMAGE_SUBSYSTEM_WINDOWS_GUI},
}

// writeWindows makes the archive of one architecture, and returns its name in a list.
func writeWindows(ctx context.Context, out, arch string, b builder, c companions, licence []byte) ([]string, error) {
	resources, err := windowsResources(c, winres.Arch(arch))
	if err != nil {
		return nil, fmt.Errorf("make resources: %w", err)
	}
	// go build links the one that is called after its target.
	if err := writeFile(filepath.Join(b.source.dir, "rsrc_windows_"+arch+".syso"), resources); err != nil {
		return nil, err
	}
	files := []file{
		{"LICENSE.txt", plainMode, licence},
		{"licences-of-libraries.txt", plainMode, c.licences},
		{"completions/" + shellFile("ps1"), plainMode, c.completions["ps1"]},
	}
	for _, p := range windowsPrograms {
		data, err := b.program(ctx, target{"windows", arch}, c.version, p.ldflags)
		if err != nil {
			return nil, err
		}
		files = append(files, file{p.file, programMode, data})
	}
	archive := name + "-" + c.version.plain() + "-windows-" + arch + ".zip"
	return []string{archive}, writeZip(filepath.Join(out, archive), files, b.source.time)
}

// windowsResources are the icon, the version and the manifest as an object file.
func windowsResources(c companions, arch winres.Arch) ([]byte, error) {
	var set winres.ResourceSet
	var images []image.Image
	for _, size := range []int{16, 24, 32, 48, 64, 256} {
		m, err := c.image(size)
		if err != nil {
			return nil, err
		}
		images = append(images, m)
	}
	icon, err := winres.NewIconFromImages(images)
	if err != nil {
		return nil, err
	}
	if err := set.SetIcon(winres.ID(1), icon); err != nil {
		return nil, err
	}
	set.SetManifest(winres.AppManifest{
		Identity:       winres.AssemblyIdentity{Name: title, Version: numeric(c.version)},
		Description:    summary,
		ExecutionLevel: winres.AsInvoker, DPIAwareness: winres.DPIPerMonitorV2, LongPathAware: true, UseCommonControlsV6: true,
	})
	info := winversion.Info{FileVersion: numeric(c.version), ProductVersion: numeric(c.version)}
	for key, text := range map[string]string{
		winversion.ProductName: title, winversion.FileDescription: title, winversion.CompanyName: authors,
		winversion.LegalCopyright: "Copyright " + authors + ", " + licence + " licence",
		winversion.ProductVersion: c.version.plain(), winversion.FileVersion: c.version.plain(), winversion.InternalName: name,
	} {
		if err := info.Set(winversion.LangDefault, key, text); err != nil {
			return nil, err
		}
	}
	set.SetVersionInfo(info)
	var object bytes.Buffer
	if err := set.WriteObject(&object, arch); err != nil {
		return nil, err
	}
	return object.Bytes(), nil
}

// numeric is the version as four numbers; what leads to a release bears the
// release's.
func numeric(v version) [4]uint16 {
	var n [4]uint16
	for i, part := range strings.Split(v.core, ".") {
		number, _ := strconv.ParseUint(part, 10, 16) // the form was checked, and 65535 is enough
		n[i] = uint16(number)
	}
	return n
}
