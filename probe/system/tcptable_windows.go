package system

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

var extendedTCPTable = windows.NewLazySystemDLL("iphlpapi.dll").NewProc("GetExtendedTcpTable")

// tcpListeners returns the listening sockets of all processes.
func tcpListeners() ([]listener, error) {
	found, err := tcpListenersOf(windows.AF_INET, tcpLayout4)
	if err != nil {
		return nil, fmt.Errorf("list sockets: %w", err)
	}
	more, err := tcpListenersOf(windows.AF_INET6, tcpLayout6)
	if err != nil && !errors.Is(err, windows.ERROR_NOT_SUPPORTED) { // the system has no IPv6
		return nil, fmt.Errorf("list sockets of IPv6: %w", err)
	}
	return append(found, more...), nil
}

func tcpListenersOf(family uintptr, layout tcpLayout) ([]listener, error) {
	const listenersWithPID = 3 // TCP_TABLE_OWNER_PID_LISTENER
	if err := extendedTCPTable.Find(); err != nil {
		return nil, err
	}
	size := uint32(16 << 10)
	for range 8 { // the table may grow beyond the new buffer meanwhile
		table := make([]byte, size)
		//nolint:gosec // output parameters, of the size that is told
		code, _, _ := extendedTCPTable.Call(
			uintptr(unsafe.Pointer(&table[0])), uintptr(unsafe.Pointer(&size)), 0, family, listenersWithPID, 0,
		)
		switch err := windows.Errno(code); err {
		case windows.ERROR_SUCCESS:
			return parseTCPTable(table[:min(int(size), len(table))], layout), nil
		case windows.ERROR_INSUFFICIENT_BUFFER:
			size += 4 << 10
		default:
			return nil, err
		}
	}
	return nil, windows.ERROR_INSUFFICIENT_BUFFER
}
