package traytest

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"windsock/probe/probetest"
)

//go:embed settings/bus.conf
var busConf string

// Bus is a private session bus and an environment to run programs in. It starts
// no services: only what the test starts is on it.
type Bus struct {
	session *session
	address string
	daemon  *Process
	conn    *dbus.Conn // the helpers' own connection
	record  *recorder
}

// StartBus starts a bus for the duration of the test. It needs dbus-daemon.
func StartBus(tb testing.TB) *Bus {
	tb.Helper()
	probetest.NeedTools(tb, "dbus-daemon")
	b := &Bus{session: newSession(tb)}
	b.startDaemon(tb)
	return b
}

// Address is the bus's address, as in DBUS_SESSION_BUS_ADDRESS. Its socket is
// also $XDG_RUNTIME_DIR/bus.
func (b *Bus) Address() string { return b.address }

// Dir is the session's directory: home and run are in it. It is removed at the
// end of the test.
func (b *Bus) Dir() string { return b.session.dir }

// Env is the environment for a program of this session: the bus, a separate home and
// XDG directories (the runtime directory has mode 0700), and the part of the test's
// environment that does not belong to a desktop.
func (b *Bus) Env() []string { return slices.Clone(b.session.environ) }

// Start runs a command in the session, in [Bus.Env] followed by the command's own Env.
// At the end of the test the command gets SIGTERM, and then its whole group is killed.
func (b *Bus) Start(tb testing.TB, cmd *exec.Cmd) *Process {
	tb.Helper()
	cmd.Env = append(b.Env(), cmd.Env...)
	p := b.session.run(tb, cmd)
	tb.Cleanup(p.Stop)
	return p
}

// Kill ends the bus as a crash would, with all programs still connected.
func (b *Bus) Kill() { b.daemon.kill() }

// Lie sends a signal straight to a program, by its unique name, from another one that may
// pretend to be its sender. It has arrived when Lie returns.
func (b *Bus) Lie(tb testing.TB, to string, path dbus.ObjectPath, name string, body ...any) {
	tb.Helper()
	dot := strings.LastIndex(name, ".")
	conn := b.connect(tb)
	call := conn.Send(&dbus.Message{Type: dbus.TypeSignal, Body: body, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldDestination: dbus.MakeVariant(to), dbus.FieldPath: dbus.MakeVariant(path),
		dbus.FieldInterface: dbus.MakeVariant(name[:dot]), dbus.FieldMember: dbus.MakeVariant(name[dot+1:]),
		dbus.FieldSignature: dbus.MakeVariant(dbus.SignatureOf(body...)),
	}}, nil)
	err := call.Err
	if err == nil { // the bus answers in order
		err = conn.BusObject().Call("org.freedesktop.DBus.GetId", 0).Err
	}
	if err != nil {
		tb.Fatalf("lie to %s: %v", to, err)
	}
}

// owned reports whether a program owns a name on the bus.
func (b *Bus) owned(name string) bool {
	var has bool
	err := b.conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, name).Store(&has)
	return err == nil && has
}

// startDaemon starts the bus's daemon, waits until it answers, and connects.
func (b *Bus) startDaemon(tb testing.TB) {
	tb.Helper()
	socket := filepath.Join(b.session.dir, "run", "bus")
	config := filepath.Join(b.session.dir, "bus.conf")
	writeFile(tb, config, busConf, "@SOCKET@", socket)
	b.daemon = b.session.daemon(tb, command(tb, "dbus-daemon", "--config-file="+config, "--nofork", "--nopidfile"))
	b.address = "unix:path=" + socket
	b.session.setenv("DBUS_SESSION_BUS_ADDRESS", b.address)
	wait(tb, "reach the private bus", func() (bool, string) {
		conn, err := dbus.Connect(b.address)
		if err != nil {
			return false, err.Error()
		}
		b.conn = conn
		return true, ""
	})
	tb.Cleanup(func() { _ = b.conn.Close() })
	b.record = newRecorder(tb, b)
}

// connect opens another connection to the bus, closed at the end of the test.
func (b *Bus) connect(tb testing.TB) *dbus.Conn {
	tb.Helper()
	conn, err := dbus.Connect(b.address)
	if err != nil {
		tb.Fatalf("connect to the private bus: %v", err)
	}
	tb.Cleanup(func() { _ = conn.Close() })
	return conn
}

// writeFile writes a template with its @WORDS@ replaced, and makes the directories
// above it.
func writeFile(tb testing.TB, path, template string, oldnew ...string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.NewReplacer(oldnew...).Replace(template)), 0o600); err != nil {
		tb.Fatal(err)
	}
}
