package icon

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
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

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	var c cache
	for size := minSize; size <= maxSize; size++ {
		c.get(picture{Icon{}, formatPNG, size})
		c.get(picture{Icon{}, formatRaw, size})
	}
	for _, b := range []Band{OK, Low} { // the largest of all
		for level := range Steps {
			c.get(picture{Icon{Band: b, Level: level}, formatICO, 0})
		}
	}
	room := 0
	for _, e := range c.entries {
		room += cap(e.data)
	}
	if len(c.entries) != cached || cap(c.entries) > 2*cached || room > 700<<10 {
		t.Errorf("%d entries in room for %d, %d bytes", len(c.entries), cap(c.entries), room)
	}
}

func TestCacheKeepsTheLatest(t *testing.T) {
	t.Parallel()
	var c cache
	at := func(size int) picture { return picture{Icon{}, formatPNG, size} }
	for size := range cached {
		c.get(at(minSize + size))
	}
	c.get(at(minSize))          // again: the one of 17 pixels is now the oldest
	c.get(at(minSize + cached)) // and has to go
	var got []int
	for _, e := range c.entries {
		got = append(got, e.picture.size)
	}
	want := []int{minSize + cached, minSize}
	for size := minSize + cached - 1; size > minSize+1; size-- {
		want = append(want, size)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCallerOwnsTheBytes(t *testing.T) {
	t.Parallel()
	i := Icon{Band: OK, Level: 6, Demo: true}
	first := i.PNG(19)
	kept := bytes.Clone(first)
	clear(first)
	if !bytes.Equal(i.PNG(19), kept) {
		t.Error("what the caller did to its picture is in the next one")
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
				s.Template() // more than the cache keeps
			}
		})
	}
	wg.Wait()
}
