package shortcut

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/tray/desktop"
	"windsock/tray/traytest"
)

// holder is a Service at work on a private bus.
type holder struct {
	*Service

	pressed, refused chan string

	mu     sync.Mutex // guards states
	states []State
}

func hold(t *testing.T, key string) *holder {
	t.Helper()
	return holdPausing(t, key, time.Millisecond)
}

func holdPausing(t *testing.T, key string, pause time.Duration) *holder {
	t.Helper()
	h := &holder{pressed: make(chan string, 16), refused: make(chan string, 16)}
	h.Service = New(Options{
		Config: Config{key}, Log: slog.New(slog.DiscardHandler),
		Press: func(ctx context.Context) {
			var token string
			for _, entry := range desktop.Environ(ctx) {
				if value, ok := strings.CutPrefix(entry, "XDG_ACTIVATION_TOKEN="); ok {
					token = value
				}
			}
			h.pressed <- "pressed " + token
		},
		Refused: func() { h.refused <- "refused" },
		Changed: func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.states = append(h.states, h.State())
		},
	})
	h.pause = pause
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- h.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return h
}

// told waits until the last State is that one, and returns the texts of all since the
// last call.
func (h *holder) told(t *testing.T, want State) []string {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
		h.mu.Lock()
		states := h.states
		h.mu.Unlock()
		if len(states) > 0 && states[len(states)-1] == want {
			h.mu.Lock()
			h.states = h.states[len(states):]
			h.mu.Unlock()
			var texts []string
			for _, s := range states {
				texts = append(texts, s.Text)
			}
			return texts
		}
		if time.Now().After(deadline) {
			t.Fatalf("told %+v, want %+v", states, want)
		}
	}
}

func heard(t *testing.T, from chan string, want string) {
	t.Helper()
	select {
	case got := <-from:
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	case <-time.After(time.Minute):
		t.Fatalf("never %q", want)
	}
}

// onBus has this process use a private bus. Tests of it are not parallel.
func onBus(t *testing.T) *traytest.Bus {
	t.Helper()
	bus := traytest.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address())
	return bus
}

var boundKey = State{Text: "The desktop has bound it: Press CTRL+ALT+w"}

// TestPortal: the person is asked once a key is set, and each press of the key is heard
// until it is taken out.
func TestPortal(t *testing.T) {
	for name, entry := range map[string]string{"registry": appID, "older": ""} {
		t.Run(name, func(t *testing.T) {
			portal := onBus(t).Portal(t, entry)
			h := hold(t, "")
			h.Configure(Config{"Ctrl+Alt+W"})
			h.told(t, State{Text: "The desktop may ask you about the key now."})
			portal.WaitAsked(t, "CTRL+ALT+w")
			portal.Allow()
			h.told(t, boundKey)
			portal.Press(t, "")
			heard(t, h.pressed, "pressed ")
			portal.Press(t, "token")
			heard(t, h.pressed, "pressed token")
			portal.Allow()
			h.Configure(Config{"Super+F2"})
			h.told(t, State{Text: "The desktop has bound it: Press LOGO+F2"})
			h.Configure(Config{})
			h.told(t, State{})
			portal.WaitAsked(t, "CTRL+ALT+w", "LOGO+F2")
			if len(h.pressed) > 0 {
				t.Error(<-h.pressed)
			}
		})
	}
}

// TestPortalIsLeftAlone: without a key nothing is asked for.
func TestPortalIsLeftAlone(t *testing.T) {
	bus := onBus(t)
	portal := bus.Portal(t, "")
	h := hold(t, "")
	h.Configure(Config{})
	h.Configure(Config{"Ctrl+Alt+W"})
	portal.WaitAsked(t, "CTRL+ALT+w")
	if diff := cmp.Diff([]string{"The desktop may ask you about the key now."}, h.told(t, h.State())); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// TestPortalRefuses: where there is no key, people learn why and what to do.
func TestPortalRefuses(t *testing.T) {
	const byHand = "`windsock prompt` to a key in the desktop's own settings."
	tests := []struct {
		name string
		on   func(*testing.T, *traytest.Bus)
		want string
	}{
		{"no_portal", func(*testing.T, *traytest.Bus) {}, "On this desktop no program can ask for a key. Bind " + byHand},
		{
			"no_menu_entry", func(t *testing.T, bus *traytest.Bus) { t.Helper(); bus.Portal(t, "another") },
			"The desktop does not let Windsock ask for a key. Perhaps it has no menu entry of Windsock. " +
				"Install one of Windsock's packages, or bind " + byHand,
		},
		{
			"broken", func(t *testing.T, bus *traytest.Bus) { t.Helper(); bus.Portal(t, "").Break() },
			"The key could not be bound.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.on(t, onBus(t))
			hold(t, "Ctrl+Alt+W").told(t, State{tt.want, true})
		})
	}
	t.Run("person", func(t *testing.T) {
		portal := onBus(t).Portal(t, "")
		h := hold(t, "Ctrl+Alt+W")
		portal.Refuse()
		heard(t, h.refused, "refused")
		h.told(t, State{"The desktop was not allowed to bind a key.", true})
		portal.WaitAsked(t, "CTRL+ALT+w") // and not again
	})
}

// TestPortalComesLate: at login the portal may not be there yet.
func TestPortalComesLate(t *testing.T) {
	bus := onBus(t)
	h := hold(t, "Ctrl+Alt+W")
	h.told(t, State{say.Sentence(errNoPortal, ""), true})
	bus.Portal(t, "").Allow()
	h.told(t, boundKey)
}

// TestPortalLiars: another program that speaks of the key is not believed.
func TestPortalLiars(t *testing.T) {
	bus := onBus(t)
	portal := bus.Portal(t, "")
	h := hold(t, "Ctrl+Alt+W")
	portal.Allow()
	h.told(t, boundKey)
	to := strings.Split(string(portal.Session()), "/")[6]
	bus.Lie(t, ":"+strings.ReplaceAll(to, "_", "."), portalPath, activatedName,
		portal.Session(), shortcutID, uint64(0), map[string]dbus.Variant{"activation_token": dbus.MakeVariant("lie")})
	portal.Press(t, "truth")
	heard(t, h.pressed, "pressed truth")
}

// TestPortalComesBack: a key that the desktop takes back is bound again.
func TestPortalComesBack(t *testing.T) {
	bus := onBus(t)
	portal := bus.Portal(t, "")
	lost := func(end func()) {
		t.Helper()
		var states []State
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		k, _ := parse("Ctrl+Alt+W")
		portal.Allow()
		err := grab(ctx, k, func(s State) {
			if states = append(states, s); s == boundKey {
				end()
			}
		}, func(context.Context) {})
		if err != errLost || len(states) != 2 { //nolint:errorlint // exactly this
			t.Errorf("%v, told %+v", err, states)
		}
	}
	lost(func() { portal.EndSession(t) })
	lost(func() { portal.Stop(t) })
	portal = bus.Portal(t, "")
	h := hold(t, "Ctrl+Alt+W")
	portal.Allow()
	h.told(t, boundKey)
	portal.EndSession(t)
	portal.WaitAsked(t, "CTRL+ALT+w", "CTRL+ALT+w")
	portal.Allow()
	h.told(t, boundKey)
	portal.Press(t, "")
	heard(t, h.pressed, "pressed ")
	lost(bus.Kill)
}

// TestPortalIsNotPestered: a person whose desktop loses the key at once, each time, is
// asked less and less often.
func TestPortalIsNotPestered(t *testing.T) {
	const pause = 20 * time.Millisecond
	portal := onBus(t).Portal(t, "")
	start := time.Now()
	h := holdPausing(t, "Ctrl+Alt+W", pause)
	var asked []string
	for range 4 {
		asked = append(asked, "CTRL+ALT+w")
		portal.WaitAsked(t, asked...)
		portal.Allow()
		h.told(t, boundKey)
		portal.EndSession(t)
	}
	if took := time.Since(start); took < (1+2+4)*pause {
		t.Errorf("asked four times in %v", took)
	}
}

// TestRefusalIsTold: a refusal takes the key out of the settings, and is told all the same,
// until there is another key.
func TestRefusalIsTold(t *testing.T) {
	t.Parallel()
	s := New(Options{Changed: func() {}})
	s.tell(notAllowed)
	s.hold(t.Context(), Config{})
	if got := s.State(); got != notAllowed {
		t.Errorf("told %+v", got)
	}
	s.tell(boundKey)
	s.hold(t.Context(), Config{})
	if got := s.State(); got != (State{}) {
		t.Errorf("told %+v without a key", got)
	}
}

// TestOpens: a key is told of only where the desktop tells of it.
func TestOpens(t *testing.T) {
	t.Parallel()
	const unknown = "The desktop tells of no key. Its settings say whether it has bound one."
	of := func(id, trigger string) shortcut {
		return shortcut{id, map[string]dbus.Variant{"trigger_description": dbus.MakeVariant(trigger)}}
	}
	tests := []struct {
		name  string
		bound map[string]dbus.Variant
		want  string
	}{
		{"nothing", nil, unknown},
		{"none", map[string]dbus.Variant{"shortcuts": dbus.MakeVariant([]shortcut{})}, unknown},
		{"another", map[string]dbus.Variant{"shortcuts": dbus.MakeVariant([]shortcut{of("other", "Ctrl+O")})}, unknown},
		{"left_to_the_person", map[string]dbus.Variant{"shortcuts": dbus.MakeVariant([]shortcut{of(shortcutID, "")})}, unknown},
		{"structs_of_another_kind", map[string]dbus.Variant{"shortcuts": dbus.MakeVariant([]struct{ A, B uint32 }{{1, 2}})}, unknown},
		{"no_list", map[string]dbus.Variant{"shortcuts": dbus.MakeVariant("Ctrl+O")}, unknown},
		{"ours", map[string]dbus.Variant{"shortcuts": dbus.MakeVariant([]shortcut{of("other", "Ctrl+O"), of(shortcutID, "Ctrl+Alt+W")})}, "The desktop has bound it: Ctrl+Alt+W"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := opens(tt.bound); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestMenuEntry: the packages bring the entry by whose name the portal knows Windsock.
func TestMenuEntry(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(filepath.Join("..", "..", "packaging", appID+".desktop")); err != nil {
		t.Error(err)
	}
}
