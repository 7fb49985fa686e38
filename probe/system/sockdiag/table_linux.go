package sockdiag

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"strconv"

	"windsock/probe/redact"
)

// readTables returns the sockets in /proc/net/tcp and tcp6.
func readTables() (all []Socket, _ error) {
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		table, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a kernel without IPv6
		}
		if err != nil {
			return nil, fmt.Errorf("read table of sockets: %w", redact.Path(err))
		}
		all = append(all, parseTable(table)...)
	}
	return all, nil
}

// findInTables finds the socket of a connection in /proc/net/tcp and tcp6.
func findInTables(local, remote netip.AddrPort) (Socket, error) {
	all, err := readTables()
	if err != nil {
		return Socket{}, err
	}
	return among(all, local, remote)
}

// parseTable reads proc_net_tcp(5): the second and third columns are the socket's
// addresses, the fourth its state, the eighth its UID and the tenth its inode. It
// ignores other lines, such as the header.
func parseTable(table []byte) (found []Socket) {
	for line := range bytes.Lines(table) {
		fields := bytes.Fields(line)
		if len(fields) < 10 {
			continue
		}
		local, localErr := parseAddr(fields[1])
		remote, remoteErr := parseAddr(fields[2])
		state, stateErr := strconv.ParseUint(string(fields[3]), 16, 8)
		uid, uidErr := strconv.Atoi(string(fields[7]))
		inode, inodeErr := strconv.ParseUint(string(fields[9]), 10, 64)
		if errors.Join(localErr, remoteErr, stateErr, uidErr, inodeErr) == nil {
			found = append(found, Socket{Local: local, Remote: remote, Inode: inode, UID: uid, State: uint8(state)})
		}
	}
	return found
}

var errNoAddress = errors.New("no address")

// parseAddr reads "0100007F:1F90": an address in 32-bit words of native byte order, and
// a port in plain hexadecimal.
func parseAddr(text []byte) (netip.AddrPort, error) {
	host, portText, _ := bytes.Cut(text, []byte(":"))
	port, err := strconv.ParseUint(string(portText), 16, 16)
	if err != nil {
		return netip.AddrPort{}, err
	}
	raw, err := hex.DecodeString(string(host))
	if err != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, errNoAddress
	}
	for word := range slices.Chunk(raw, 4) {
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	addr, ok := netip.AddrFromSlice(raw)
	if !ok {
		return netip.AddrPort{}, errNoAddress
	}
	return netip.AddrPortFrom(addr.Unmap(), uint16(port)), nil
}
