package icon

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
)

func TestString(t *testing.T) {
	t.Parallel()
	tests := []struct {
		want string
		icon Icon
	}{
		{"unknown", Icon{}},
		{"unknown stale", Icon{Level: 4, Stale: true}},
		{"ok 9/10", Icon{Band: OK, Level: 9}},
		{"ok 10/10", Icon{Band: OK, Level: 11}},
		{"low 2/10 stale", Icon{Band: Low, Level: 2, Stale: true}},
		{"critical 0/10 demo", Icon{Band: Critical, Level: -1, Demo: true}},
		{"exhausted stale demo", Icon{Band: Exhausted, Stale: true, Demo: true}},
		{"unlimited", Icon{Band: Unlimited, Level: 3}},
		{"error", Icon{Band: Error}},
		{"extra", Icon{Band: Extra, Level: 3}},
		{"unknown", Icon{Band: 200}},
	}
	for _, test := range tests {
		if got := test.icon.String(); got != test.want {
			t.Errorf("%#v: %q, want %q", test.icon, got, test.want)
		}
	}
}

func TestOutOfRangeIsNearest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		a, b Icon
	}{
		{"level_above", Icon{Band: OK, Level: 99}, Icon{Band: OK, Level: Steps}},
		{"level_below", Icon{Band: Critical, Level: -99}, Icon{Band: Critical}},
		{"level_of_none", Icon{Band: Exhausted, Level: 5}, Icon{Band: Exhausted}},
		{"band_of_none", Icon{Band: 99, Level: 5}, Icon{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if !bytes.Equal(test.a.Image(22).Pix, test.b.Image(22).Pix) || !bytes.Equal(test.a.Template(), test.b.Template()) {
				t.Error("another picture")
			}
		})
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	want := map[string][]byte{}
	for _, s := range states {
		want[fmt.Sprint(s)] = s.Tray("linux")
	}
	for range 4 {
		wg.Go(func() {
			for _, s := range states {
				if !bytes.Equal(s.Tray("linux"), want[fmt.Sprint(s)]) {
					t.Errorf("%v: another picture", s)
				}
				s.Template()
			}
		})
	}
	wg.Wait()
}
