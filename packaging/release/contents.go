package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/blakesmith/ar"
	"github.com/cavaliergopher/cpio"
	"github.com/klauspost/compress/zstd"
)

// contents are the files of a package: mode and checksum by path. What a package
// manager keeps for itself is left out.
type contents map[string]string

func (c contents) add(path string, mode int64, r io.Reader) error {
	path = strings.TrimLeft(strings.TrimPrefix(path, "./"), "/")
	if strings.HasPrefix(path, ".") && !strings.Contains(path, "/") { // .PKGINFO, .MTREE
		return nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return err
	}
	c[path] = fmt.Sprintf("%04o %x", mode&0o7777, sum.Sum(nil))
	return nil
}

// readContents reads a package by the end of its name.
func readContents(path string) (contents, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := make(contents)
	switch filepath.Ext(path) {
	case ".deb":
		err = c.addDeb(data)
	case ".rpm":
		err = c.addRPM(data)
	case ".apk": // signature, control and data are a gzip stream each, one tar together
		err = c.addTarGzip(bytes.NewReader(data))
	case ".zst":
		var r *zstd.Decoder
		if r, err = zstd.NewReader(bytes.NewReader(data)); err == nil {
			defer r.Close()
			err = c.addTar(r)
		}
	default:
		err = errors.New("no kind of package is called so")
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return c, nil
}

func (c contents) addTar(r io.Reader) error {
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if header.Uid != 0 || header.Gid != 0 {
			return fmt.Errorf("%s is not root's", header.Name)
		}
		if err := c.add(header.Name, header.Mode, archive); err != nil {
			return err
		}
	}
}

func (c contents) addTarGzip(r io.Reader) error {
	unpacked, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	return c.addTar(unpacked)
}

// addDeb reads the data member of the ar archive that a deb is.
func (c contents) addDeb(data []byte) error {
	archive := ar.NewReader(bytes.NewReader(data))
	for {
		header, err := archive.Next()
		if err != nil {
			return err
		}
		if strings.HasPrefix(header.Name, "data.tar.gz") {
			return c.addTarGzip(archive)
		}
	}
}

// addRPM skips the lead and the two headers, and reads the gzipped cpio behind
// them. A header is a magic number and the counts of its entries (16 bytes each)
// and of its bytes; the first is filled up to eight bytes.
func (c contents) addRPM(data []byte) error {
	const lead, intro, entry = 96, 16, 16
	at := lead
	for range 2 {
		at = (at + 7) / 8 * 8
		if len(data) < at+intro || !bytes.Equal(data[at:at+3], []byte{0x8e, 0xad, 0xe8}) {
			return errors.New("a header is not where it should be")
		}
		entries, size := binary.BigEndian.Uint32(data[at+8:]), binary.BigEndian.Uint32(data[at+12:])
		at += intro + entry*int(entries) + int(size)
		if at > len(data) {
			return errors.New("a header is longer than the file")
		}
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(data[at:]))
	if err != nil {
		return err
	}
	archive := cpio.NewReader(unpacked)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !header.Mode.IsRegular() {
			continue
		}
		if err := c.add(header.Name, int64(header.Mode.Perm()), archive); err != nil {
			return err
		}
	}
}
