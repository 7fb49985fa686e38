package clean

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"windsock/chat/touched"
	"windsock/probe/redact"
	"windsock/probe/say"
)

// cascadeFile is the size and the time of a cascade's file, which is not read.
type cascadeFile struct {
	bytes    int64
	modified time.Time
}

// cascadeDir is a variant's directory of cascades, one file each (PROTOCOL.md 7.10).
// Links in the codeium directory never lead outside it. The nil cascadeDir has no
// files.
type cascadeDir struct{ root *os.Root }

const cascadeSuffix = ".pb"

func openCascades(codeiumDir string) (*cascadeDir, error) {
	if codeiumDir == "" {
		return nil, nil //nolint:nilnil // which has no files
	}
	codeium, err := os.OpenRoot(codeiumDir)
	if err == nil {
		defer func() { _ = codeium.Close() }() // it was only looked at
		var root *os.Root
		if root, err = codeium.OpenRoot("cascade"); err == nil {
			return &cascadeDir{root}, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // which has no files
	}
	return nil, cascadesError("open directory of cascades", err)
}

// cascadesError is for the case that no server lists and the files are needed.
func cascadesError(doing string, err error) error {
	return &say.Error{
		What:  "The editor does not list its cascades, and the directory with their files cannot be read, so nothing is known of them.",
		Cure:  "It is cascade in the editor's own directory below .codeium: check its permissions, and that it is no link to elsewhere.",
		Cause: fmt.Errorf("clean cascades: %s: %w", doing, redact.Path(err)),
	}
}

func (d *cascadeDir) close() {
	if d != nil {
		_ = d.root.Close() // it was only looked at
	}
}

// stat reads a cascade's file size and time. It takes only a regular file.
func (d *cascadeDir) stat(id string) (cascadeFile, error) {
	if d == nil || !touched.ValidID(id) {
		return cascadeFile{}, fs.ErrNotExist
	}
	info, err := d.root.Lstat(id + cascadeSuffix)
	switch {
	case err != nil:
		return cascadeFile{}, err
	case !info.Mode().IsRegular():
		return cascadeFile{}, fs.ErrInvalid
	}
	return cascadeFile{bytes: info.Size(), modified: info.ModTime()}, nil
}

// all reads the sizes and times of all cascades' files.
func (d *cascadeDir) all() (map[string]cascadeFile, error) {
	files := map[string]cascadeFile{}
	if d == nil {
		return files, nil
	}
	dir, err := d.root.Open(".")
	if err != nil {
		return nil, cascadesError("read directory of cascades", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, cascadesError("read directory of cascades", err)
	}
	for _, name := range names {
		id, ok := strings.CutSuffix(name, cascadeSuffix)
		if !ok {
			continue
		}
		if file, err := d.stat(id); err == nil {
			files[id] = file
		}
	}
	return files, nil
}
