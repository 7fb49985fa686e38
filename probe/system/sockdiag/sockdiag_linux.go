package sockdiag

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Socket is a TCP socket of our own network namespace.
type Socket struct {
	// Local and Remote are the addresses of both ends. IPv4 addresses mapped to IPv6
	// are unmapped.
	Local, Remote netip.AddrPort
	// Inode is the number in /proc/PID/fd; 0 if no process holds the socket any more.
	Inode uint64
	// UID is the owner. It means nothing if no process holds the socket any more.
	UID int
	// State is the kernel's number of its TCP state.
	State uint8
}

// Held reports whether a process holds the socket and can still receive an answer on
// it. For a closed socket the kernel reports the UID 0, which is root.
func (s Socket) Held() bool {
	return s.Inode != 0 && (s.State == stateEstablished || s.State == stateCloseWait)
}

// Listeners returns the sockets that listen.
func Listeners() ([]Socket, error) {
	all, err := dump()
	if err != nil {
		if all, err = readTables(); err != nil {
			return nil, fmt.Errorf("list listening sockets: %w", err)
		}
	}
	return slices.DeleteFunc(all, func(s Socket) bool { return s.State != stateListen || s.Inode == 0 }), nil
}

// Connected returns the socket with the address local and the peer remote. IPv4
// addresses mapped to IPv6 count as IPv4. It is an error if there is no such socket.
func Connected(local, remote netip.AddrPort) (Socket, error) {
	s, err := find(local, remote)
	if err == nil {
		return s, nil
	}
	s, other := findInTables(local, remote)
	if other != nil {
		return Socket{}, fmt.Errorf("find connection: %w", errors.Join(err, other))
	}
	return s, nil
}

var errNone = errors.New("no such connection")

// dump lists the listening sockets by netlink.
func dump() (found []Socket, err error) {
	d, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		some, err := d.ask(request(family, unix.NLM_F_DUMP, 1<<stateListen))
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return found, nil
}

// find finds the socket of a connection by netlink.
func find(local, remote netip.AddrPort) (_ Socket, err error) {
	d, err := open()
	if err != nil {
		return Socket{}, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	family := byte(unix.AF_INET)
	if local.Addr().Is6() {
		family = unix.AF_INET6
	}
	r := request(family, 0, anyState)
	r.names(local, remote)
	found, err := d.ask(r)
	if err != nil {
		return Socket{}, err
	}
	return among(found, local, remote)
}

func among(all []Socket, local, remote netip.AddrPort) (Socket, error) {
	for _, s := range all {
		if s.Local == local && s.Remote == remote {
			return s, nil
		}
	}
	return Socket{}, errNone
}

// dialogue is a netlink socket, and the room for its answers.
type dialogue struct {
	fd     int
	buffer []byte
}

// answerRoom is twice the largest datagram with which the kernel begins a dump
// (NLMSG_GOODSIZE); it goes on with the room that it was given.
const answerRoom = 16 << 10

// timeout is for the kernel's answer, which comes at once.
const timeout = time.Second

func open() (dialogue, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_INET_DIAG)
	if err != nil {
		return dialogue{}, fmt.Errorf("open netlink socket: %w", err)
	}
	limit := unix.NsecToTimeval(timeout.Nanoseconds())
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit); err != nil {
		return dialogue{}, errors.Join(fmt.Errorf("set netlink timeout: %w", err), unix.Close(fd))
	}
	return dialogue{fd, make([]byte, answerRoom)}, nil
}

func (d dialogue) close() error { return unix.Close(d.fd) }

// ask sends a message and returns the sockets of the answer.
func (d dialogue) ask(m message) ([]Socket, error) {
	if err := unix.Sendto(d.fd, m, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	var found []Socket
	for {
		n, _, err := unix.Recvfrom(d.fd, d.buffer, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		some, done, err := parse(d.buffer[:n])
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
		if done || !m.dumps() {
			return found, nil
		}
	}
}

// parse reads one datagram of an answer; done is set at the end of a dump.
func parse(data []byte) (found []Socket, done bool, err error) {
	messages, err := syscall.ParseNetlinkMessage(data)
	if err != nil {
		return nil, false, err
	}
	for _, m := range messages {
		switch m.Header.Type {
		case unix.NLMSG_DONE:
			return found, true, nil
		case unix.NLMSG_ERROR:
			if len(m.Data) < 4 {
				return nil, false, errors.New("a short error")
			}
			return nil, false, unix.Errno(-int32(binary.NativeEndian.Uint32(m.Data))) //nolint:gosec // an errno, negated
		}
		if s, ok := parseSocket(m.Data); ok {
			found = append(found, s)
		}
	}
	return found, false, nil
}
