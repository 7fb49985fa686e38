package traytest

import (
	"fmt"
	"image"
	"image/color"
	"testing"
	"time"
)

func TestDesktop(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		option []Option
		button int
	}{
		{"dark", nil, Left},
		{"light", []Option{Light()}, Right},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			Need(t, "notify-send")
			started := time.Now()
			d := StartDesktop(t, tt.option...)
			t.Logf("the desktop took %v", time.Since(started).Round(time.Millisecond))
			p := d.Start(t, program(t, "item"))
			item := d.Item(t, p.PID())

			place := d.IconPlace(t)
			if !place.In(image.Rect(980, 0, 1024, panelHeight)) || place.Dx() < 16 || place.Dy() < 16 {
				t.Errorf("the icon is at %v, want it at the right end of the panel", place)
			}
			middle := place.Min.Add(place.Size().Div(2))
			if got, want := d.Screen(t).NRGBAAt(middle.X, middle.Y), (color.NRGBA{0xff, 0x80, 0x10, 0xff}); got != want {
				t.Errorf("the icon is %v in the middle, want %v", got, want)
			}

			bare := d.Still(t)
			d.Start(t, command(t, "notify-send", "-a", "Windsock", "Credits are low", "5 of 500 prompt credits left until 18 February."))
			d.WaitPopups(t, 1)
			wait(t, "see the notification drawn", func() (bool, string) { // or it would be taken for a part of the menu
				return !Changed(below(bare), below(d.Screen(t))).Empty(), "nothing changed on the screen"
			})
			menu := d.OpenMenu(t, tt.button)
			if want := image.Rect(700, panelHeight, 1024, 300); !menu.In(want) || menu.Dx() < 120 || menu.Dy() < 80 {
				t.Errorf("the menu is at %v, want it below the icon", menu)
			}
			d.Screenshot(t, "traytest-"+tt.name)
			Save(t, "traytest-"+tt.name+"-menu", Crop(d.Screen(t), menu.Union(place).Inset(-6)))
			d.Key(t, "Down", "Return")
			p.WaitOutput(t, "clicked 3\n")
			item.WaitMenuContains(t, "swe_1")
		})
	}
}

func TestPanelRestarts(t *testing.T) {
	t.Parallel()
	d := StartDesktop(t, WithoutPanel())
	p := d.Start(t, program(t, "item"))
	if d.owned(watcherName) {
		t.Error("there is a watcher without a panel")
	}
	var place image.Rectangle
	for range 2 {
		d.StartPanel(t)
		d.Item(t, p.PID()).WaitMenuContains(t, "453", "swe_1")
		before := place
		wait(t, "see the icon where it was", func() (bool, string) {
			place = d.IconPlace(t)
			return before.Empty() || place == before, fmt.Sprintf("it was at %v, and is at %v", before, place)
		})
		d.StopPanel(t)
	}
	wait(t, "see the panel go", func() (bool, string) { return !d.panelDrawn(t), "it is still on the screen" })
}

func TestPointerAndKeys(t *testing.T) {
	t.Parallel()
	d := StartDesktop(t)
	p := d.Start(t, program(t, "item"))
	d.Item(t, p.PID())
	place := d.IconPlace(t)
	empty := d.Still(t) // but for the icon, which is drawn some time after it is registered

	menu := d.OpenMenu(t, Left)
	d.CloseMenu(t)
	d.Move(t, 500, 300)
	wait(t, "see the screen of before the menu", func() (bool, string) {
		changed := Changed(empty, d.Screen(t))
		return changed.Empty(), fmt.Sprintf("it differs at %v", changed)
	})
	// The second row that can be clicked is the check mark.
	d.OpenMenu(t, Left)
	d.Key(t, "Down", "Down", "Return")
	p.WaitOutput(t, "clicked 4\n")
	// The first one again, with the pointer: the second fifth of the menu.
	d.OpenMenu(t, Left)
	d.Click(t, menu.Min.X+menu.Dx()/2, menu.Min.Y+menu.Dy()*2/5, Left)
	p.WaitOutput(t, "clicked 3\n")

	tip := d.Still(t)
	d.Move(t, place.Min.X+2, place.Min.Y+2)
	wait(t, "see a tip", func() (bool, string) { return Changed(below(tip), below(d.Screen(t))).Dy() > 10, "nothing" })
}

func TestPopups(t *testing.T) {
	t.Parallel()
	Need(t, "notify-send")
	d := StartDesktop(t)
	for _, summary := range []string{"Credits are low", "Credits are gone"} {
		if code := d.Start(t, command(t, "notify-send", summary)).Wait(t); code != 0 {
			t.Errorf("notify-send ended with %d", code)
		}
	}
	d.WaitPopups(t, 2)
	d.ClosePopups(t)
	list := d.WaitNotifications(t, 2)
	if list[0].Summary != "Credits are low" || list[1].Summary != "Credits are gone" || list[0].ID == list[1].ID {
		t.Errorf("notifications: %+v", list)
	}
}
