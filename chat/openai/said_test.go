package openai

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Items are kept for a day, and their size is limited.
func TestSaid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s said
		s.add("early", message{text: "a"})
		time.Sleep(saidTime - time.Second)
		s.add("late", message{text: "b", calls: []call{{"1", "f", "{}"}}})
		if m, ok := s.find("early"); !ok || m.text != "a" {
			t.Error(m, ok)
		}
		time.Sleep(time.Second)
		if _, ok := s.find("early"); ok {
			t.Error("an item that is a day old")
		}
		if m, ok := s.find("late"); !ok || m.text != "b" || len(m.calls) != 1 {
			t.Error(m, ok)
		}
		time.Sleep(saidTime)
		if _, ok := s.find("late"); ok || s.bytes != 0 || len(s.items) != 0 {
			t.Errorf("%d bytes are left, %v", s.bytes, s.items)
		}
	})
}

func TestSaidIsBounded(t *testing.T) {
	t.Parallel()
	var s said
	long := strings.Repeat("x", maxSaid/8)
	for n := range 20 {
		s.add(fmt.Sprint(n), message{text: long, calls: []call{{"1", "f", "{}"}}})
		if s.bytes > maxSaid {
			t.Fatalf("%d bytes", s.bytes)
		}
	}
	for n := range 20 {
		if _, ok := s.find(fmt.Sprint(n)); ok != (n >= 13) {
			t.Errorf("item %d: %t", n, ok)
		}
	}
	s.add("too_long", message{text: strings.Repeat("x", maxSaid)})
	if s.bytes != 0 || len(s.items) != 0 || len(s.order) != 0 {
		t.Errorf("%d bytes of %d items", s.bytes, len(s.items))
	}
}
