package shortcut

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/windows"

	"windsock/probe/say"
)

var (
	user32            = windows.NewLazySystemDLL("user32.dll")
	registerHotKey    = user32.NewProc("RegisterHotKey")
	unregisterHotKey  = user32.NewProc("UnregisterHotKey")
	getMessage        = user32.NewProc("GetMessageW")
	peekMessage       = user32.NewProc("PeekMessageW")
	postThreadMessage = user32.NewProc("PostThreadMessageW")
)

// From winuser.h.
const (
	modAlt, modControl, modShift, modWin = 1, 2, 4, 8
	modNoRepeat                          = 0x4000
	wmQuit, wmHotkey                     = 0x12, 0x312
	vkSpace, vkF1                        = 0x20, 0x70
	hotkeyID                             = 1
)

// message is MSG.
type message struct {
	window         uintptr
	kind           uint32
	wParam, lParam uintptr
	time           uint32
	x, y           int32
}

// grab has Windows bind a key, and calls press at each press until ctx ends. It fails when
// another program has the key.
func grab(ctx context.Context, k key, tell func(State), press func(context.Context)) error {
	runtime.LockOSThread() // a hot key and its messages belong to a thread
	defer runtime.UnlockOSThread()
	var m message
	call(peekMessage, uintptr(unsafe.Pointer(&m)), 0, 0, 0, 0) //nolint:gosec // makes the queue, into which the end is posted
	if ok, _, err := registerHotKey.Call(0, hotkeyID, k.modifiers()|modNoRepeat, k.virtual()); ok == 0 {
		return taken(k, err)
	}
	defer call(unregisterHotKey, 0, hotkeyID)
	thread := windows.GetCurrentThreadId()
	defer context.AfterFunc(ctx, func() { call(postThreadMessage, uintptr(thread), wmQuit, 0, 0) })()
	tell(State{Text: k.String() + " opens the prompt window."})
	for {
		switch got, _, err := getMessage.Call(uintptr(unsafe.Pointer(&m)), 0, 0, 0); int32(got) { //nolint:gosec // a BOOL, or -1
		case 0:
			return ctx.Err()
		case -1:
			return fmt.Errorf("bind key: %w", err)
		}
		if m.kind == wmHotkey {
			press(ctx)
		}
	}
}

// call calls what has nothing to tell. What a pointer among its arguments points to does
// not move, as with LazyProc.Call.
//
//go:uintptrescapes
func call(proc *windows.LazyProc, args ...uintptr) {
	_, _, _ = proc.Call(args...) //nolint:dogsled // see above
}

// taken is the error for a key that cannot be had.
func taken(k key, cause error) error {
	cause = fmt.Errorf("bind key: %w", cause)
	if errors.Is(cause, windows.ERROR_HOTKEY_ALREADY_REGISTERED) {
		return &say.Error{What: "Another program has " + k.String() + ".", Cure: "Choose another key.", Cause: cause}
	}
	return cause
}

func (k key) modifiers() (flags uintptr) {
	for held, flag := range map[modifier]uintptr{ctrl: modControl, alt: modAlt, shift: modShift, super: modWin} {
		if k.held&held != 0 {
			flags |= flag
		}
	}
	return flags
}

// virtual is the key's virtual code: letters and digits are their own.
func (k key) virtual() uintptr {
	switch n := k.function(); {
	case n > 0:
		return uintptr(vkF1 + n - 1)
	case k.name == "Space":
		return vkSpace
	default:
		return uintptr(k.name[0])
	}
}
