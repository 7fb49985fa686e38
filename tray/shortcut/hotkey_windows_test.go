package shortcut

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
)

// heldKey is a key that a test has.
type heldKey struct {
	pressed chan struct{}
	end     context.CancelFunc
	ended   chan error
}

func grabbed(t *testing.T, k key) heldKey {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	h := heldKey{make(chan struct{}, 16), cancel, make(chan error, 1)}
	told := make(chan State, 1)
	go func() {
		tell := func(s State) {
			moveStack(1 << 12)
			told <- s
		}
		h.ended <- grab(ctx, k, tell, func(context.Context) { h.pressed <- struct{}{} })
	}()
	select {
	case got := <-told:
		if diff := cmp.Diff(State{Text: k.String() + " opens the prompt window."}, got); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	case err := <-h.ended:
		t.Fatalf("not bound: %v", err)
	}
	return h
}

// moveStack has the goroutine's stack grow, so that it moves.
func moveStack(depth int) (sum byte) {
	var room [256]byte
	if depth > 0 {
		room[depth%len(room)] = moveStack(depth - 1)
	}
	return room[depth/2%len(room)]
}

// press presses keys in order, and releases them.
func press(codes ...uintptr) {
	const released = 2 // KEYEVENTF_KEYUP
	event := user32.NewProc("keybd_event")
	for _, code := range codes {
		call(event, code, 0, 0, 0)
	}
	for i := range codes {
		call(event, codes[len(codes)-1-i], 0, released, 0)
	}
}

// TestHotKey: a press of the key is heard once, no other program gets the key meanwhile,
// and afterwards it is free.
func TestHotKey(t *testing.T) {
	const vkShift, vkControl, vkMenu, vkF9 = 0x10, 0x11, 0x12, 0x78
	k, _ := parse("Ctrl+Alt+F9")
	for range 2 {
		h := grabbed(t, k)
		press(vkControl, vkF9)
		press(vkControl, vkShift, vkMenu, vkF9)
		press(vkControl, vkMenu, vkF9)
		select {
		case <-h.pressed:
		case <-time.After(time.Minute):
			t.Fatal("the press is not heard")
		}
		err := grab(t.Context(), k, func(s State) { t.Errorf("told %+v", s) }, func(context.Context) {})
		if got, want := say.Sentence(err, ""), "Another program has Ctrl+Alt+F9. Choose another key."; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		h.end()
		if err := <-h.ended; err != context.Canceled { //nolint:errorlint // exactly this
			t.Error(err)
		}
		if len(h.pressed) > 0 {
			t.Error("other keys are heard as well")
		}
	}
}

// TestCodes: keys are Windows' own.
func TestCodes(t *testing.T) {
	for text, want := range map[string][2]uintptr{
		"Ctrl+A":                 {2, 'A'},
		"Alt+Shift+Super+9":      {1 | 4 | 8, '9'},
		"Ctrl+Alt+Space":         {2 | 1, 0x20},
		"F1":                     {0, 0x70},
		"Ctrl+Alt+Shift+Win+F24": {15, 0x87},
	} {
		k, _ := parse(text)
		if diff := cmp.Diff(want, [2]uintptr{k.modifiers(), k.virtual()}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
