package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"windsock/tray/traytest"
)

// desktop is where the icon is, and who sits there.
type desktop struct {
	tb       testing.TB
	settings *settings
	watcher  *traytest.Watcher
	item     *traytest.Item
	// clicks counts those that met a row.
	clicks map[kind]int
}

func (d *desktop) begin(_ context.Context, s step) (end func() error, err error) {
	nothing := func() error { return nil }
	tray := func(do func(testing.TB)) error {
		if d.item == nil {
			return nil
		}
		return attempt(d.tb, do)
	}
	switch s.kind {
	case edited:
		return nothing, d.settings.edit()
	case broken:
		return func() error { return d.settings.spoil(false) }, d.settings.spoil(true)
	case refresh, mute:
		prefix := map[kind]string{refresh: "Refresh now", mute: "Mute warnings"}[s.kind]
		// A row may change between the look at it and the click.
		if tray(func(tb testing.TB) { tb.Helper(); d.click(tb, prefix) }) == nil {
			d.clicks[s.kind]++
		}
		return nothing, nil
	case noHost:
		return func() error { return tray(func(tb testing.TB) { tb.Helper(); d.watcher.SetHost(tb, true) }) },
			tray(func(tb testing.TB) { tb.Helper(); d.watcher.SetHost(tb, false) })
	case noPanel:
		return func() error { return tray(d.watcher.Start) }, tray(d.watcher.Stop)
	default:
		return nil, fmt.Errorf("desktop: no way to do %q", s.kind)
	}
}

// click picks a row that begins with something.
func (d *desktop) click(tb testing.TB, prefix string) {
	tb.Helper()
	for _, row := range d.item.Menu(tb) {
		if row.Visible && row.Enabled && strings.HasPrefix(row.Label, prefix) {
			d.item.Click(tb, row.Label)
			return
		}
	}
	tb.Fatalf("no row %q", prefix)
}
