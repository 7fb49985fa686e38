package system

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// maxEnviron is far larger than any real environment.
const maxEnviron = 4 << 20

// basicInformation is PROCESS_BASIC_INFORMATION. Addresses of another process are
// numbers here: the garbage collector would follow pointers.
type basicInformation struct {
	exitStatus uintptr
	block      uintptr
	others     [4]uintptr
}

// startParameters reads the command line and the environment of a process from its
// memory: its process environment block (PEB) points to both. Windows has no documented
// call for either.
func startParameters(process windows.Handle) (args, environ []string, err error) {
	same, err := sameBitness(process)
	if err != nil {
		return nil, nil, fmt.Errorf("read kind of program: %w", err)
	}
	if !same {
		return nil, nil, ErrBitness
	}
	var basic basicInformation
	size := uint32(unsafe.Sizeof(basic))
	//nolint:gosec // an output parameter, of the size that is told
	if err := windows.NtQueryInformationProcess(process, windows.ProcessBasicInformation, unsafe.Pointer(&basic), size, nil); err != nil {
		return nil, nil, fmt.Errorf("find process environment block: %w", err)
	}
	const parametersAt = unsafe.Offsetof(windows.PEB{}.ProcessParameters)
	block, err := readMemory(process, basic.block, parametersAt+unsafe.Sizeof(uintptr(0)))
	if err != nil {
		return nil, nil, fmt.Errorf("read process environment block: %w", err)
	}
	const (
		lineAt    = unsafe.Offsetof(windows.RTL_USER_PROCESS_PARAMETERS{}.CommandLine)
		environAt = unsafe.Offsetof(windows.RTL_USER_PROCESS_PARAMETERS{}.Environment)
		sizeAt    = unsafe.Offsetof(windows.RTL_USER_PROCESS_PARAMETERS{}.EnvironmentSize)
	)
	parameters, err := readMemory(process, word(block[parametersAt:]), sizeAt+unsafe.Sizeof(uintptr(0)))
	if err != nil {
		return nil, nil, fmt.Errorf("read start parameters: %w", err)
	}
	length := uintptr(binary.NativeEndian.Uint16(parameters[lineAt:]))
	text, err := readMemory(process, word(parameters[lineAt+unsafe.Offsetof(windows.NTUnicodeString{}.Buffer):]), length)
	if err != nil {
		return nil, nil, fmt.Errorf("read command line: %w", err)
	}
	if args, err = windows.DecomposeCommandLine(decodeUTF16(text)); err != nil {
		return nil, nil, fmt.Errorf("split command line: %w", err)
	}
	variables, err := readMemory(process, word(parameters[environAt:]), min(word(parameters[sizeAt:]), maxEnviron))
	if err != nil {
		return args, nil, fmt.Errorf("read environment: %w", err)
	}
	return args, parseEnvironBlock(variables), nil
}

// sameBitness reports whether the addresses of a process are as long as ours.
func sameBitness(process windows.Handle) (bool, error) {
	var theirs, ours bool // a 32-bit process on 64-bit Windows
	err := errors.Join(
		windows.IsWow64Process(process, &theirs),
		windows.IsWow64Process(windows.CurrentProcess(), &ours),
	)
	return theirs == ours, err
}

// word reads an address or a size.
func word(data []byte) uintptr {
	if unsafe.Sizeof(uintptr(0)) == 4 {
		return uintptr(binary.NativeEndian.Uint32(data))
	}
	return uintptr(binary.NativeEndian.Uint64(data))
}

func readMemory(process windows.Handle, address, size uintptr) ([]byte, error) {
	if address == 0 || size == 0 {
		return nil, errors.New("there is none")
	}
	data := make([]byte, size)
	if err := windows.ReadProcessMemory(process, address, &data[0], size, nil); err != nil {
		return nil, err
	}
	return data, nil
}
