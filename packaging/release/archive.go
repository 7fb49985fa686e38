package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"os"
	"time"
)

// writeTar writes a gzipped tar of the files, with the commit's time on each.
func writeTar(path string, files []file, t time.Time) error {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range sorted(files) {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: f.path, Mode: int64(f.mode), Size: int64(len(f.data)),
			ModTime: t, Uname: "root", Gname: "root", Format: tar.FormatPAX,
		}
		if err := w.WriteHeader(header); err != nil {
			return fmt.Errorf("write tar: %w", err)
		}
		if _, err := w.Write(f.data); err != nil {
			return fmt.Errorf("write tar: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("write tar: %w", err)
	}
	packed, err := gzipped(b.Bytes())
	if err != nil {
		return fmt.Errorf("write tar: %w", err)
	}
	return writeFile(path, packed)
}

// writeZip is writeTar for Windows.
func writeZip(path string, files []file, t time.Time) error {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.BestCompression) })
	for _, f := range sorted(files) {
		header := &zip.FileHeader{Name: f.path, Method: zip.Deflate, Modified: t}
		header.SetMode(os.FileMode(f.mode))
		entry, err := w.CreateHeader(header)
		if err != nil {
			return fmt.Errorf("write zip: %w", err)
		}
		if _, err := entry.Write(f.data); err != nil {
			return fmt.Errorf("write zip: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("write zip: %w", err)
	}
	return writeFile(path, b.Bytes())
}

func writeFile(path string, data []byte) error {
	return os.WriteFile(path, data, plainMode) //nolint:gosec // what is published is for all to read
}
