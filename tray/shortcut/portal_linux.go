package shortcut

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/godbus/dbus/v5"

	"windsock/probe/say"
	"windsock/tray/desktop"
)

// The portal for global shortcuts (XDG Desktop Portal, GlobalShortcuts version 1).
const (
	portalName    = "org.freedesktop.portal.Desktop"
	portalPath    = "/org/freedesktop/portal/desktop"
	shortcuts     = "org.freedesktop.portal.GlobalShortcuts"
	responseName  = "org.freedesktop.portal.Request.Response"
	closedName    = "org.freedesktop.portal.Session.Closed"
	activatedName = shortcuts + ".Activated"
	// appID is the name of Windsock's desktop entry. A program that no sandbox started
	// registers with it, else version 1.21 of the portal refuses it. GNOME binds no key for
	// a name without a dot.
	appID = "windsock.Windsock"
	// shortcutID is our name for the key, by which the portal remembers the person's answer.
	shortcutID = "prompt"
	// portalTime is the portal's time limit for what it asks nobody. At login it may have to
	// start the desktop's part of it.
	portalTime = 30 * time.Second
	// signalsRoom is how many signals may wait.
	signalsRoom = 64
)

// The responses to a request.
const (
	responseDone      = uint32(0)
	responseCancelled = uint32(1)
)

var (
	errNoPortal error = &say.Error{
		What:  "On this desktop no program can ask for a key.",
		Cure:  "Bind `windsock prompt` to a key in the desktop's own settings.",
		Cause: fmt.Errorf("bind key: no portal for global shortcuts: %w", errLater),
	}
	errUnknownApp error = &say.Error{
		What:  "The desktop does not let Windsock ask for a key. Perhaps it has no menu entry of Windsock.",
		Cure:  "Install one of Windsock's packages, or bind `windsock prompt` to a key in the desktop's own settings.",
		Cause: errors.New("bind key: the portal refuses a session"),
	}
)

// portal is a connection to the desktop's portal.
type portal struct {
	session *desktop.Session
	bus     *dbus.Conn
	owner   string
	object  dbus.BusObject
	signals chan *dbus.Signal
	asked   int
}

// grab has the portal bind a key, and calls press at each press until ctx ends. It fails
// when the person refuses, or the portal cannot, or has gone.
func grab(ctx context.Context, k key, tell func(State), press func(context.Context)) error {
	p, err := connect(ctx)
	if err != nil {
		return err
	}
	defer p.session.Close()
	session, err := p.createSession(ctx)
	if err != nil {
		return err
	}
	tell(State{Text: "The desktop may ask you about the key now."})
	bound, err := p.ask(ctx, "BindShortcuts", session, []shortcut{{shortcutID, map[string]dbus.Variant{
		"description":       dbus.MakeVariant("Quick prompt"),
		"preferred_trigger": dbus.MakeVariant(k.trigger()),
	}}}, "")
	if err != nil {
		return err
	}
	tell(State{Text: opens(bound)})
	for {
		s, err := p.next(ctx)
		if err != nil {
			return err
		}
		if s.Name == closedName && s.Path == session {
			return errLost
		}
		var of dbus.ObjectPath
		var id string
		var at uint64
		var options map[string]dbus.Variant
		if s.Name != activatedName || dbus.Store(s.Body, &of, &id, &at, &options) != nil || of != session || id != shortcutID {
			continue
		}
		token, _ := options["activation_token"].Value().(string)
		press(desktop.WithActivation(ctx, token, token))
	}
}

// shortcut is a key as the portal has it.
type shortcut struct {
	ID         string
	Properties map[string]dbus.Variant
}

// connect connects to the portal, and starts it if need be.
func connect(ctx context.Context) (*portal, error) {
	session, err := desktop.Connect(ctx)
	if err != nil {
		return nil, err
	}
	p, err := open(ctx, session)
	if err != nil {
		session.Close()
		return nil, err
	}
	return p, nil
}

func open(ctx context.Context, session *desktop.Session) (*portal, error) {
	ctx, cancel := context.WithTimeout(ctx, portalTime)
	defer cancel()
	p := &portal{session: session, bus: session.Bus(), signals: make(chan *dbus.Signal, signalsRoom)}
	p.bus.Signal(p.signals)
	err := errors.Join(
		p.bus.AddMatchSignalContext(ctx, dbus.WithMatchSender(portalName)),
		p.bus.AddMatchSignalContext(ctx, dbus.WithMatchSender("org.freedesktop.DBus"),
			dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, portalName)),
	)
	if err != nil {
		return nil, fmt.Errorf("bind key: listen to the portal: %w", err)
	}
	if p.owner, err = session.Start(ctx, portalName); err != nil {
		return nil, errNoPortal
	}
	p.object = p.bus.Object(p.owner, portalPath)
	// It has to be the first call. Older portals lack it, and an entry may be missing; then
	// the portal may refuse what comes next.
	_ = p.object.CallWithContext(ctx, "org.freedesktop.host.portal.Registry.Register", 0, appID, map[string]dbus.Variant{}).Err
	var version uint32
	if err := p.object.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, shortcuts, "version").Store(&version); err != nil {
		return nil, errNoPortal
	}
	return p, nil
}

// createSession returns the path of a session, which lasts as long as the connection.
func (p *portal) createSession(ctx context.Context) (dbus.ObjectPath, error) {
	limited, cancel := context.WithTimeout(ctx, portalTime)
	defer cancel()
	created, err := p.ask(limited, "CreateSession")
	if err != nil {
		if _, refused := errors.AsType[dbus.Error](err); refused {
			return "", errUnknownApp
		}
		return "", err
	}
	path, _ := created["session_handle"].Value().(string)
	return dbus.ObjectPath(path), nil
}

// ask calls a method that answers with a response, and waits for that.
func (p *portal) ask(ctx context.Context, method string, args ...any) (map[string]dbus.Variant, error) {
	p.asked++
	token := dbus.MakeVariant("windsock" + strconv.Itoa(p.asked))
	options := map[string]dbus.Variant{"handle_token": token, "session_handle_token": token}
	var request dbus.ObjectPath
	if err := p.object.CallWithContext(ctx, shortcuts+"."+method, 0, append(args, options)...).Store(&request); err != nil {
		return nil, fmt.Errorf("bind key: %s: %w", method, err)
	}
	for {
		s, err := p.next(ctx)
		if err != nil {
			return nil, err
		}
		var response uint32
		var results map[string]dbus.Variant
		if s.Name != responseName || s.Path != request || dbus.Store(s.Body, &response, &results) != nil {
			continue
		}
		switch response {
		case responseDone:
			return results, nil
		case responseCancelled:
			return nil, errRefused
		default:
			return nil, fmt.Errorf("bind key: %s: the portal's response is %d", method, response)
		}
	}
}

// next is the next signal of the portal.
func (p *portal) next(ctx context.Context) (*dbus.Signal, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case s, open := <-p.signals:
			switch {
			case !open, s.Name == "org.freedesktop.DBus.NameOwnerChanged" && s.Sender == "org.freedesktop.DBus" && len(s.Body) > 1 && s.Body[1] == p.owner:
				return nil, errLost
			case s.Sender == p.owner:
				return s, nil
			}
		}
	}
}

// opens says which key the desktop has bound. Some desktops do not tell, and some leave
// it to the person.
func opens(bound map[string]dbus.Variant) string {
	var all []shortcut
	if list, told := bound["shortcuts"]; told && list.Store(&all) == nil { // without a value Store panics
		for _, s := range all {
			if trigger, _ := s.Properties["trigger_description"].Value().(string); s.ID == shortcutID && trigger != "" {
				return "The desktop has bound it: " + ansi.Truncate(trigger, mostTrigger, "…")
			}
		}
	}
	return "The desktop tells of no key. Its settings say whether it has bound one." // GNOME 50, Hyprland
}

// mostTrigger is longer than the desktop's words for any key.
const mostTrigger = 60

// trigger is the key in the notation of the shortcuts specification.
func (k key) trigger() string {
	var parts []string
	for i, name := range []string{"CTRL", "ALT", "SHIFT", "LOGO"} {
		if k.held&(1<<i) != 0 {
			parts = append(parts, name)
		}
	}
	name := k.name
	if k.function() == 0 {
		name = strings.ToLower(name)
	}
	return strings.Join(append(parts, name), "+")
}
