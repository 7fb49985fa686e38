package traytest

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

// The names of the desktop's portal.
const (
	portalName    = "org.freedesktop.portal.Desktop"
	portalPath    = "/org/freedesktop/portal/desktop"
	shortcutsName = "org.freedesktop.portal.GlobalShortcuts"
)

// Portal is a desktop's portal for global shortcuts, without a desktop. It remembers no
// answer: each Allow and Refuse is for one question.
type Portal struct {
	bus     *Bus
	conn    *dbus.Conn
	answers chan uint32

	mu         sync.Mutex // guards the rest
	entry      string     // the only program with a menu entry; "" lets all in
	registered map[string]bool
	session    dbus.ObjectPath
	bound      bool     // in the session
	asked      []string // the triggers that were preferred
}

// Portal puts a portal on the bus. Like version 1.21 of the real one it lets nobody in but
// the program with a menu entry of that name; with "" it is as old as 1.18, and knows no
// names.
func (b *Bus) Portal(tb testing.TB, entry string) *Portal {
	tb.Helper()
	p := &Portal{bus: b, conn: b.connect(tb), answers: make(chan uint32, 16), entry: entry, registered: map[string]bool{}}
	err := p.conn.Export(global{p}, portalPath, shortcutsName)
	if err == nil && entry != "" {
		err = p.conn.Export(registering{p}, portalPath, "org.freedesktop.host.portal.Registry")
	}
	if err == nil {
		_, err = prop.Export(p.conn, portalPath, prop.Map{shortcutsName: {"version": {Value: uint32(1), Emit: prop.EmitFalse}}})
	}
	if err != nil {
		tb.Fatalf("export the portal: %v", err)
	}
	if reply, err := p.conn.RequestName(portalName, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		tb.Fatalf("take the name of the portal: %v (%v)", reply, err)
	}
	return p
}

// Allow is the person's consent to the next question for a key, or the present one.
func (p *Portal) Allow() { p.answers <- 0 }

// Refuse is the person's refusal of it.
func (p *Portal) Refuse() { p.answers <- 1 }

// Break has the portal fail at it.
func (p *Portal) Break() { p.answers <- 2 }

// WaitAsked waits until the person was asked for exactly those keys, as they were
// preferred.
func (p *Portal) WaitAsked(tb testing.TB, triggers ...string) {
	tb.Helper()
	want := strings.Join(triggers, ", ")
	wait(tb, "see the portal asked for "+want, func() (bool, string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		got := strings.Join(p.asked, ", ")
		return got == want, "it was asked for " + got
	})
}

// Press is a press of the key, once it is bound. A token lets the program come to the front.
func (p *Portal) Press(tb testing.TB, token string) {
	tb.Helper()
	options := map[string]dbus.Variant{}
	if token != "" {
		options["activation_token"] = dbus.MakeVariant(token)
	}
	wait(tb, "see a key bound", func() (bool, string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.bound, "it is not"
	})
	p.emit(tb, portalPath, shortcutsName+".Activated", p.Session(), "prompt", uint64(0), options)
}

// EndSession ends the program's session.
func (p *Portal) EndSession(tb testing.TB) {
	tb.Helper()
	p.emit(tb, p.Session(), "org.freedesktop.portal.Session.Closed", map[string]dbus.Variant{})
}

// Stop takes the portal off the bus, like a crash.
func (p *Portal) Stop(tb testing.TB) {
	tb.Helper()
	if err := p.conn.Close(); err != nil {
		tb.Fatalf("close the portal: %v", err)
	}
	wait(tb, "see the portal leave the bus", func() (bool, string) { return !p.bus.owned(portalName), "it stays" })
}

// Session is the path of the last session, as other programs could guess it.
func (p *Portal) Session() dbus.ObjectPath {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.session
}

func (p *Portal) emit(tb testing.TB, path dbus.ObjectPath, name string, body ...any) {
	tb.Helper()
	if err := p.conn.Emit(path, name, body...); err != nil {
		tb.Fatalf("tell of a key: %v", err)
	}
}

// place is the path of a request or a session of a program.
func place(kind string, sender dbus.Sender, options map[string]dbus.Variant, token string) dbus.ObjectPath {
	name := strings.ReplaceAll(strings.TrimPrefix(string(sender), ":"), ".", "_")
	last, _ := options[token].Value().(string)
	return dbus.ObjectPath(portalPath + "/" + kind + "/" + name + "/" + last)
}

// respond answers a request.
func (p *Portal) respond(request dbus.ObjectPath, code uint32, results map[string]dbus.Variant) {
	_ = p.conn.Emit(request, "org.freedesktop.portal.Request.Response", code, results) // fails if the bus was killed
}

// registering is the portal's side of the bus for the names of programs.
type registering struct{ p *Portal }

// Register takes the name of a program that has a menu entry.
func (r registering) Register(name string, _ map[string]dbus.Variant, sender dbus.Sender) *dbus.Error {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	if name != r.p.entry {
		return dbus.MakeFailedError(errors.New("no such entry"))
	}
	r.p.registered[string(sender)] = true
	return nil
}

// global is the portal's side of the bus for global shortcuts.
type global struct{ p *Portal }

// CreateSession makes a session for a program that is let in.
func (g global) CreateSession(options map[string]dbus.Variant, sender dbus.Sender) (dbus.ObjectPath, *dbus.Error) {
	p := g.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.entry != "" && !p.registered[string(sender)] {
		return "", dbus.NewError("org.freedesktop.portal.Error.NotAllowed", []any{"An app id is required"})
	}
	p.bound = false
	p.session = place("session", sender, options, "session_handle_token")
	request := place("request", sender, options, "handle_token")
	go p.respond(request, 0, map[string]dbus.Variant{"session_handle": dbus.MakeVariant(string(p.session))})
	return request, nil
}

// asking is a key that a program asks for.
type asking struct {
	ID         string
	Properties map[string]dbus.Variant
}

// BindShortcuts asks the person, and answers when they have answered.
func (g global) BindShortcuts(session dbus.ObjectPath, keys []asking, _ string, options map[string]dbus.Variant, sender dbus.Sender) (dbus.ObjectPath, *dbus.Error) {
	p := g.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if session != p.session {
		return "", dbus.MakeFailedError(errors.New("no such session"))
	}
	for i := range keys {
		trigger, _ := keys[i].Properties["preferred_trigger"].Value().(string)
		p.asked = append(p.asked, trigger)
		keys[i].Properties["trigger_description"] = dbus.MakeVariant("Press " + trigger)
	}
	request := place("request", sender, options, "handle_token")
	if p.entry != "" && !strings.Contains(p.entry, ".") { // GNOME takes no such name
		go p.respond(request, 2, nil)
		return request, nil
	}
	go func() { // ends with an answer, or with the portal
		select {
		case code := <-p.answers:
			results := map[string]dbus.Variant{}
			if code == 0 {
				results["shortcuts"] = dbus.MakeVariant(keys)
			}
			p.respond(request, code, results)
			p.mu.Lock()
			p.bound = code == 0
			p.mu.Unlock()
		case <-p.conn.Context().Done():
		}
	}()
	return request, nil
}
