package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// A manifest tells a package manager where a release is had and which checksums it
// has. It is written when all the files that it names are there, and not before.
type manifest struct {
	template, path string
	needs          []string
}

func manifests(v version) []manifest {
	windows := []string{name + "-" + v.plain() + "-windows-amd64.zip", name + "-" + v.plain() + "-windows-arm64.zip"}
	winget := "winget/manifests/w/" + title + "/" + title + "/" + v.plain() + "/" + title + "." + title
	return []manifest{
		{"cask.rb", "homebrew/Casks/" + name + ".rb", []string{macZip(v)}},
		{"scoop.json", "scoop/" + name + ".json", windows},
		{"winget.yaml", winget + ".yaml", windows},
		{"winget.installer.yaml", winget + ".installer.yaml", windows},
		{"winget.locale.yaml", winget + ".locale.en-US.yaml", windows},
	}
}

// writeManifests returns the paths of those written, below out.
func writeManifests(out string, c companions) (written []string, err error) {
	for _, m := range manifests(c.version) {
		sums := make(map[string]string)
		for _, file := range m.needs {
			if sum, err := checksum(filepath.Join(out, file)); err == nil {
				sums[file] = sum
			}
		}
		if len(sums) < len(m.needs) {
			continue
		}
		text, err := templates.ReadFile("templates/" + m.template)
		if err != nil {
			return nil, err
		}
		page, err := expand(m.template, string(text), c.version, sortedKeys(c.manual))
		if err != nil {
			return nil, err
		}
		for file, sum := range sums {
			page = bytes.ReplaceAll(page, []byte("SHA256("+file+")"), []byte(sum))
		}
		path := filepath.Join(out, filepath.FromSlash(m.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // published, too
			return nil, err
		}
		if err := writeFile(path, page); err != nil {
			return nil, err
		}
		written = append(written, m.path)
	}
	return written, nil
}

// expand fills in a template.
func expand(called, text string, v version, pages []string) ([]byte, error) {
	t, err := template.New(called).Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read template %s: %w", called, err)
	}
	fields := map[string]any{
		"Name": name, "Title": title, "Authors": authors, "Licence": licence, "Summary": summary, "BundleID": bundleID,
		"Description": strings.ReplaceAll(strings.TrimPrefix(description, summary+"\n"), "\n", " "),
		"Repository":  repository, "Tag": v.tag, "Version": v.plain(), "Core": v.core,
		"URL": downloadURL(v, ""), "Pages": pages,
	}
	var b bytes.Buffer
	if err := t.Execute(&b, fields); err != nil {
		return nil, fmt.Errorf("fill in %s: %w", called, err)
	}
	return b.Bytes(), nil
}

// writeSums writes SHA256SUMS, which `sha256sum -c` reads.
func writeSums(out string, names []string) error {
	var b bytes.Buffer
	for _, file := range names {
		sum, err := checksum(filepath.Join(out, file))
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(&b, "%s  %s\n", sum, file)
	}
	return writeFile(filepath.Join(out, "SHA256SUMS"), b.Bytes())
}

func checksum(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("take checksum: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
