package traytest

import (
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

			d.Start(t, command(t, "notify-send", "-a", "Windsock", "Credits are low", "5 of 500 prompt credits left until 18 February."))
			d.WaitPopups(t, 1)
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
