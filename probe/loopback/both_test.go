package loopback

import (
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
)

// No other program can listen where browsers look for a name below localhost.
func TestListenBoth(t *testing.T) {
	t.Parallel()
	listeners, err := ListenBoth(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var hosts []string
	for _, l := range listeners {
		defer l.Close()
		if l.Port() != listeners[0].Port() {
			t.Errorf("ports %d and %d", listeners[0].Port(), l.Port())
		}
		hosts = append(hosts, addrPort(l.Addr()).Addr().String())
	}
	want := []string{"127.0.0.1", "::1"}
	if none, err := net.Listen("tcp6", "[::1]:0"); err != nil {
		want = want[:1] // the computer has no IPv6
	} else {
		_ = none.Close()
	}
	if diff := cmp.Diff(want, hosts); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	for _, host := range hosts {
		stranger, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(listeners[0].Port())))
		if err == nil {
			_ = stranger.Close()
			t.Errorf("a stranger listens on %s", stranger.Addr())
		}
	}
}

// closing counts the listeners that are open.
type closing struct {
	net.Listener

	open *int
}

func (c closing) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4242} }

func (c closing) Close() error {
	*c.open--
	return nil
}

func TestListenBothTaken(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		first        error   // of 127.0.0.1
		second       []error // of [::1], one per try; the last repeats
		open         int     // listeners left open
		tries        int
		want, people string
	}{
		{name: "free", second: []error{nil}, open: 2, tries: 1},
		{name: "taken_once", second: []error{syscall.EADDRINUSE, nil}, open: 2, tries: 2},
		{name: "reserved_once", second: []error{syscall.EACCES, nil}, open: 2, tries: 2},
		{
			name: "all_taken", second: []error{syscall.EADDRINUSE}, tries: maxPorts,
			want:   "listen on both addresses of loopback: 32 ports tried: address already in use",
			people: "No port is free on both 127.0.0.1 and [::1]",
		},
		{name: "no_address", second: []error{syscall.EADDRNOTAVAIL}, open: 1, tries: 1},
		{name: "no_family", second: []error{syscall.EAFNOSUPPORT}, open: 1, tries: 1},
		{name: "no_address_on_windows", second: []error{syscall.Errno(10049)}, open: 1, tries: 1},
		{name: "no_loopback", first: syscall.EMFILE, want: syscall.EMFILE.Error()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			open, tries := 0, 0
			listeners, err := listenBoth(func(on address, port int) (*Listener, error) {
				failed := tt.first
				if on == ipv6 {
					failed = tt.second[min(tries, len(tt.second)-1)]
					tries++
					if port != 4242 {
						t.Errorf("port %d", port)
					}
				}
				if failed != nil {
					return nil, failed
				}
				open++
				return &Listener{Listener: closing{open: &open}}, nil
			})
			if open != tt.open || tries != tt.tries || len(listeners) != tt.open {
				t.Errorf("%d open of %d, %d tries", open, len(listeners), tries)
			}
			told := ""
			if err != nil {
				told = err.Error()
			}
			if diff := cmp.Diff(tt.want, told); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if told := say.Sentence(err, ""); !strings.Contains(told, tt.people) || tt.people == "" && told != "" {
				t.Errorf("for people: %v", err)
			}
		})
	}
}
