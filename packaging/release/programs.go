package main

import (
	"archive/zip"
	"bytes"
	"debug/pe"
	"errors"
	"fmt"
	"io"

	"github.com/tc-hib/winres"
)

// checkWindows looks into the programs of an archive for Windows.
func checkWindows(path string) error {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer func() { _ = archive.Close() }()
	for _, p := range windowsPrograms {
		f, err := archive.Open(p.file)
		if err != nil {
			return err
		}
		data, err := io.ReadAll(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		if err := checkProgram(data, p.subsystem); err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
	}
	return nil
}

func checkProgram(data []byte, subsystem uint16) error {
	program, err := pe.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	header, ok := program.OptionalHeader.(*pe.OptionalHeader64)
	if !ok || header.Subsystem != subsystem {
		return fmt.Errorf("its subsystem is not %d", subsystem)
	}
	set, err := winres.LoadFromEXE(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("read resources: %w", err)
	}
	if _, err := set.GetIcon(winres.ID(1)); err != nil {
		return fmt.Errorf("read icon: %w", err)
	}
	for _, kind := range []winres.ID{winres.RT_VERSION, winres.RT_MANIFEST} {
		if set.Get(kind, winres.ID(1), winres.LCIDDefault) == nil {
			return fmt.Errorf("it has no resource of type %d", kind)
		}
	}
	return nil
}
