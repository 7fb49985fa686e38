package traytest

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

// TestMain makes programs of the test binary: a tray icon with a menu of its
// own, and a test process that is killed in the middle.
func TestMain(m *testing.M) {
	switch os.Getenv("TRAYTEST_PROGRAM") {
	case "item":
		runTinyItem()
	default:
		os.Exit(m.Run())
	}
}

// tinyMenu is a menu with one of each: a status line, a check mark, a separator, a
// hidden row, a submenu. As with real programs, its first layout lacks the
// submenu's rows.
type tinyMenu struct {
	conn *dbus.Conn

	mu   sync.Mutex
	read bool
}

type tinyRow struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

func row(id int32, properties map[string]any, children ...tinyRow) tinyRow {
	r := tinyRow{ID: id, Properties: map[string]dbus.Variant{}, Children: []dbus.Variant{}}
	for name, value := range properties {
		r.Properties[name] = dbus.MakeVariant(value)
	}
	for _, child := range children {
		r.Children = append(r.Children, dbus.MakeVariant(child))
	}
	return r
}

func tinyRows() tinyRow {
	return row(0, map[string]any{"children-display": "submenu"},
		row(1, map[string]any{"label": "453 of 500 credits left", "enabled": false}),
		row(2, map[string]any{"type": "separator"}),
		row(3, map[string]any{"label": "_Refresh now"}),
		row(4, map[string]any{"label": "Start at login", "toggle-type": "checkmark", "toggle-state": int32(1)}),
		row(5, map[string]any{"label": "Nothing to see", "visible": false}),
		row(6, map[string]any{"label": "Model", "children-display": "submenu"},
			row(61, map[string]any{"label": "gpt__4", "toggle-type": "radio", "toggle-state": int32(1)}),
			row(62, map[string]any{"label": "swe__1", "toggle-type": "radio", "toggle-state": int32(0)}),
		),
	)
}

func (m *tinyMenu) GetLayout(_, _ int32, _ []string) (uint32, tinyRow, *dbus.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	root := tinyRows()
	if !m.read {
		m.read = true
		model := root.Children[5].Value().(tinyRow)
		model.Children = []dbus.Variant{}
		root.Children[5] = dbus.MakeVariant(model)
	}
	return 1, root, nil
}

func (m *tinyMenu) Event(id int32, kind string, _ dbus.Variant, _ uint32) *dbus.Error {
	if kind == "clicked" {
		fmt.Printf("clicked %d\n", id)
		_ = m.conn.Emit("/menu", menuName+".LayoutUpdated", uint32(1), int32(0))
		_ = m.conn.Emit(itemPath, itemName+".NewIcon")
		_ = m.conn.Emit("/menu", menuName+".LayoutUpdated", uint32(1), int32(0))
	}
	return nil
}

func (m *tinyMenu) EventGroup(events []struct {
	ID   int32
	Kind string
	Data dbus.Variant
	Time uint32
},
) ([]int32, *dbus.Error) {
	for _, e := range events {
		m.Event(e.ID, e.Kind, e.Data, e.Time)
	}
	return nil, nil
}

func (m *tinyMenu) AboutToShow(int32) (bool, *dbus.Error) { return false, nil }

func (m *tinyMenu) AboutToShowGroup([]int32) (updates, unknown []int32, err *dbus.Error) {
	return nil, nil, nil
}

// tinyProperties are a row's, as a panel asks for them.
type tinyProperties struct {
	ID         int32
	Properties map[string]dbus.Variant
}

func (m *tinyMenu) GetGroupProperties(ids []int32, _ []string) ([]tinyProperties, *dbus.Error) {
	var found []tinyProperties
	rows := []tinyRow{tinyRows()}
	for len(rows) > 0 {
		r := rows[0]
		rows = rows[1:]
		if slices.Contains(ids, r.ID) {
			found = append(found, tinyProperties{r.ID, r.Properties})
		}
		for _, child := range r.Children {
			rows = append(rows, child.Value().(tinyRow))
		}
	}
	return found, nil
}

// tinyIcon is an orange square with a clear half-transparent edge.
func tinyIcon() []pixmap {
	small := pixmap{1, 1, []byte{255, 0, 0, 255}}
	large := pixmap{Width: 22, Height: 22}
	for y := range 22 {
		for x := range 22 {
			alpha := byte(255)
			if x == 0 || y == 0 || x == 21 || y == 21 {
				alpha = 128
			}
			large.Data = append(large.Data, alpha, 0xff, 0x80, 0x10)
		}
	}
	return []pixmap{small, large}
}

// runTinyItem shows the icon until SIGTERM or until the bus goes.
func runTinyItem() {
	conn, err := dbus.ConnectSessionBus()
	check(err)
	check(conn.Export(&tinyMenu{conn: conn}, "/menu", menuName))
	_, err = prop.Export(conn, "/menu", prop.Map{menuName: {
		"Version": {Value: uint32(3)}, "Status": {Value: "normal"}, "TextDirection": {Value: "ltr"},
	}})
	check(err)
	_, err = prop.Export(conn, itemPath, prop.Map{itemName: {
		"Category": {Value: "ApplicationStatus"}, "Id": {Value: "tiny"}, "Title": {Value: "Tiny"},
		"Status": {Value: "Active"}, "IconName": {Value: ""}, "IconPixmap": {Value: tinyIcon()},
		"ItemIsMenu": {Value: true}, "Menu": {Value: dbus.ObjectPath("/menu")},
		"ToolTip": {Value: struct {
			Icon        string
			Icons       []pixmap
			Title, Text string
		}{Title: "Tiny", Text: "453 left"}},
	}})
	check(err)
	_, err = conn.RequestName(fmt.Sprintf("%s-%d-1", itemName, os.Getpid()), dbus.NameFlagDoNotQueue)
	check(err)
	check(conn.AddMatchSignal(dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, watcherName)))
	changes := make(chan *dbus.Signal, 16)
	conn.Signal(changes)
	register := func() {
		_ = conn.Object(watcherName, watcherPath).Call(watcherName+".RegisterStatusNotifierItem", 0, itemPath).Err
	}
	register()
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	for {
		select {
		case change := <-changes:
			if change == nil {
				os.Exit(3) // the bus has gone
			}
			if change.Body[2] != "" {
				register()
			}
		case <-terminated:
			return
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
