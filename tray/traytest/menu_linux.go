package traytest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

const menuName = "com.canonical.dbusmenu"

// MenuEntry is one row of a menu, with the defaults of the protocol filled in.
type MenuEntry struct {
	ID          int32
	Label       string // as it is shown, without mnemonics
	Type        string // "standard" or "separator"
	Visible     bool
	Enabled     bool
	ToggleType  string // "", "checkmark" or "radio"
	ToggleState int32  // 1 is on, 0 off, anything else neither
	Children    []MenuEntry
}

// layout is a row in its form on the bus.
type layout struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

// Menu is the icon's menu, with hidden rows. A menu may first lack the rows of its
// submenus, or change while it is read; Menu returns one that was complete and read
// twice alike.
func (i *Item) Menu(tb testing.TB) []MenuEntry {
	tb.Helper()
	var menu []MenuEntry
	var complete bool
	poll(10*time.Second, 5*time.Millisecond, func() bool {
		before := menu
		menu, complete = i.readMenu(tb)
		return complete && reflect.DeepEqual(menu, before)
	})
	return menu // a submenu that stays empty really is empty
}

// readMenu reads the menu once, and reports whether no submenu is empty.
func (i *Item) readMenu(tb testing.TB) (menu []MenuEntry, complete bool) {
	tb.Helper()
	call := i.menu(tb).Call(menuName+".GetLayout", 0, int32(0), int32(-1), []string{})
	var revision uint32
	var root layout
	if err := call.Store(&revision, &root); err != nil {
		tb.Fatalf("read the menu of process %d: %v", i.pid, err)
	}
	entry, complete, err := root.entry()
	if err != nil {
		tb.Fatalf("read the menu of process %d: %v", i.pid, err)
	}
	return entry.Children, complete
}

// menu is the object that the icon names as its menu.
func (i *Item) menu(tb testing.TB) dbus.BusObject {
	tb.Helper()
	return i.bus.conn.Object(i.owner, Property[dbus.ObjectPath](tb, i, "Menu"))
}

// entry converts a row and its submenu to a MenuEntry.
func (l layout) entry() (entry MenuEntry, complete bool, err error) {
	entry = MenuEntry{ID: l.ID, Type: "standard", Visible: true, Enabled: true, ToggleState: -1}
	var label, display string
	for name, to := range map[string]any{
		"label": &label, "type": &entry.Type, "visible": &entry.Visible, "enabled": &entry.Enabled,
		"toggle-type": &entry.ToggleType, "toggle-state": &entry.ToggleState, "children-display": &display,
	} {
		if value, ok := l.Properties[name]; ok {
			if err := value.Store(to); err != nil {
				return entry, false, fmt.Errorf("row %d: %s: %w", l.ID, name, err)
			}
		}
	}
	entry.Label = shown(label)
	complete = display != "submenu" || len(l.Children) > 0
	for _, child := range l.Children {
		var below layout
		if err := child.Store(&below); err != nil {
			return entry, false, fmt.Errorf("row %d: children: %w", l.ID, err)
		}
		e, whole, err := below.entry()
		if err != nil {
			return entry, false, err
		}
		entry.Children = append(entry.Children, e)
		complete = complete && whole
	}
	return entry, complete, nil
}

// shown is a label without its mnemonics: a single underscore vanishes, and two become
// one.
func shown(label string) string {
	return strings.NewReplacer("__", "_", "_", "").Replace(label)
}

// MenuText is the menu as a person reads it, one row a line: "label  [disabled]
// [x]", --- for a separator, submenus indented, hidden rows left out.
func (i *Item) MenuText(tb testing.TB) string {
	tb.Helper()
	return menuText(i.Menu(tb))
}

func menuText(menu []MenuEntry) string {
	var text strings.Builder
	writeMenu(&text, menu, "")
	return text.String()
}

func writeMenu(text *strings.Builder, menu []MenuEntry, indent string) {
	for _, e := range menu {
		if !e.Visible {
			continue
		}
		row := e.Label
		if e.Type == "separator" {
			row = "---"
		}
		var marks string
		if !e.Enabled {
			marks = " [disabled]"
		}
		if mark := e.mark(); mark != "" {
			marks += " " + mark
		}
		if marks != "" {
			row += " " + marks
		}
		text.WriteString(indent + row + "\n")
		writeMenu(text, e.Children, indent+"  ")
	}
}

// mark shows whether a row is on or off.
func (e MenuEntry) mark() string {
	state, ok := map[int32]string{0: " ", 1: "x"}[e.ToggleState]
	if !ok {
		state = "?"
	}
	switch e.ToggleType {
	case "checkmark":
		return "[" + state + "]"
	case "radio":
		return "(" + state + ")"
	default:
		return ""
	}
}

// WaitMenu waits until ok accepts the menu's text, and returns it.
func (i *Item) WaitMenu(tb testing.TB, ok func(text string) bool) string {
	tb.Helper()
	return i.waitMenu(tb, "see the menu as it should be", ok)
}

func (i *Item) waitMenu(tb testing.TB, what string, ok func(text string) bool) string {
	tb.Helper()
	var text string
	wait(tb, what, func() (bool, string) {
		menu, _ := i.readMenu(tb)
		if text = menuText(menu); !ok(text) {
			return false, "the last one was:\n" + text
		}
		text = i.MenuText(tb)
		return ok(text), "the last one was:\n" + text
	})
	return text
}

// WaitMenuContains waits until the menu contains all parts, and returns its text.
func (i *Item) WaitMenuContains(tb testing.TB, parts ...string) string {
	tb.Helper()
	return i.waitMenu(tb, fmt.Sprintf("see %q in the menu", parts), func(text string) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) })
	})
}

// Click picks the row with this label, in a submenu too, as a panel does for a
// person's click. It fails the test if a person could not pick the row: the row or a
// menu above it is missing, hidden or disabled.
func (i *Item) Click(tb testing.TB, label string) {
	tb.Helper()
	if menu, ok := i.click(tb, label); !ok {
		tb.Fatalf("no row %q to click on in the menu:\n%s", label, menuText(menu))
	}
}

// TryClick is Click for a row that comes and goes. It reports whether the row existed.
func (i *Item) TryClick(tb testing.TB, label string) bool {
	tb.Helper()
	_, ok := i.click(tb, label)
	return ok
}

func (i *Item) click(tb testing.TB, label string) (menu []MenuEntry, ok bool) {
	tb.Helper()
	menu = i.Menu(tb)
	row, ok := clickable(menu, label)
	if !ok {
		return menu, false
	}
	now := uint32(time.Now().Unix()) //nolint:gosec // what a panel sends, and it wraps there too
	err := i.menu(tb).Call(menuName+".Event", 0, row.ID, "clicked", dbus.MakeVariant(""), now).Err
	if gone, ok := errors.AsType[dbus.Error](err); ok && gone.Name == "org.freedesktop.DBus.Error.NoReply" {
		return menu, true // the click ended the app, perhaps before its answer
	}
	if err != nil {
		tb.Fatalf("click on %q: %v", label, err)
	}
	return menu, true
}

// clickable is the row with a label, if a person can pick it.
func clickable(menu []MenuEntry, label string) (MenuEntry, bool) {
	for _, e := range menu {
		if !e.Visible || !e.Enabled || e.Type == "separator" {
			continue
		}
		if e.Label == label && len(e.Children) == 0 {
			return e, true
		}
		if below, ok := clickable(e.Children, label); ok {
			return below, true
		}
	}
	return MenuEntry{}, false
}
