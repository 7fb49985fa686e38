package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// listName is the list's own file.
const listName = "vendor.json"

// list is what was taken, and from where.
type list []source

// source is one npm package. Licence is as its package.json has it.
type source struct {
	Name    string  `json:"name"`
	Version string  `json:"version"`
	Licence string  `json:"licence"`
	Files   []taken `json:"files"`
}

// taken is one file: where it lies here, where in the package, and the SHA-256 of
// both in hexadecimal.
type taken struct {
	File   string `json:"file"`
	Source string `json:"source"`
	SHA256 string `json:"sha256"`
}

func readList(dir string) (list, error) {
	data, err := os.ReadFile(filepath.Join(dir, listName))
	if err != nil {
		return nil, fmt.Errorf("read list: %w", err)
	}
	var l list
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return nil, fmt.Errorf("read list: %w", err)
	}
	if len(l) == 0 {
		return nil, errors.New("read list: it names no package")
	}
	return l, nil
}

// check tells everything that is wrong, not only the first thing.
func (l list) check(dir string, sources map[string]contents) error {
	var wrong []error
	known := map[string]bool{listName: true}
	for _, p := range l {
		if err := p.checkLicence(sources[p.Name]); err != nil {
			wrong = append(wrong, err)
		}
		for _, f := range p.Files {
			known[f.File] = true
			if err := f.check(dir, sources[p.Name]); err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", f.File, err))
			}
		}
	}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !known[path] {
			wrong = append(wrong, fmt.Errorf("%s: not in the list", path))
		}
		return err
	})
	return errors.Join(append(wrong, err)...)
}

func (p source) checkLicence(files contents) error {
	var manifest struct{ Version, License string }
	if err := json.Unmarshal(files["package.json"], &manifest); err != nil {
		return fmt.Errorf("%s: read package.json: %w", p.Name, err)
	}
	if manifest.License != p.Licence || manifest.Version != p.Version {
		return fmt.Errorf("%s: the package is %s under %s, the list has %s under %s",
			p.Name, manifest.Version, manifest.License, p.Version, p.Licence)
	}
	return nil
}

func (f taken) check(dir string, files contents) error {
	want, ok := files[f.Source]
	if !ok {
		return fmt.Errorf("the package has no %s", f.Source)
	}
	got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.File)))
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("not the package's %s", f.Source)
	}
	if sum := checksum(got); sum != f.SHA256 {
		return fmt.Errorf("its checksum is %s, the list has %s", sum, f.SHA256)
	}
	return nil
}

// write takes the files anew.
func (l list) write(dir string, sources map[string]contents) error {
	for _, p := range l {
		for i, f := range p.Files {
			data, ok := sources[p.Name][f.Source]
			if !ok {
				return fmt.Errorf("%s has no %s", p.Name, f.Source)
			}
			path := filepath.Join(dir, filepath.FromSlash(f.File))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // a work tree's
				return fmt.Errorf("write %s: %w", f.File, err)
			}
			if err := os.WriteFile(path, data, 0o644); err != nil { //nolint:gosec // a work tree's
				return fmt.Errorf("write %s: %w", f.File, err)
			}
			p.Files[i].SHA256 = checksum(data)
		}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(l); err != nil {
		return fmt.Errorf("write list: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, listName), out.Bytes(), 0o644); err != nil { //nolint:gosec // a work tree's
		return fmt.Errorf("write list: %w", err)
	}
	return nil
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
