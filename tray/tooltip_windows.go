package tray

import (
	"errors"
	"log/slog"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// fullTip sets the tooltip of systray's icon without systray, whose structure is four
// bytes too long (v1.12.2, #133; drop this file when a tag has the fix). Windows takes
// a structure of unknown size for that of 1995, which has room for 63 units of a
// tooltip.
type fullTip struct {
	text   string
	window windows.HWND
}

// push sends the text again. It does nothing before there is one.
func (t *fullTip) push() {
	if t.text == "" {
		return
	}
	if err := t.modify(); err != nil {
		slog.Warn("tooltip not set", slog.Any("err", err))
	}
}

// notifyIconData is NOTIFYICONDATAW. Unused fields have no name.
type notifyIconData struct {
	size   uint32
	window windows.HWND
	id     uint32
	flags  uint32
	_      uint32 // message
	_      windows.Handle
	tip    [tooltipMax + 1]uint16
	_, _   uint32      // state and its mask
	_      [256]uint16 // text of a balloon
	_      uint32      // version or, in the same place, time-out
	_      [64]uint16  // title of a balloon
	_      uint32      // flags of a balloon
	_      windows.GUID
	_      windows.Handle // icon of a balloon
}

const (
	systrayClass  = "SystrayClass"
	systrayIconID = 100

	nimModify = 1
	nifTip    = 4
)

var (
	findWindowEx    = windows.NewLazySystemDLL("user32.dll").NewProc("FindWindowExW")
	shellNotifyIcon = windows.NewLazySystemDLL("shell32.dll").NewProc("Shell_NotifyIconW")
)

func (t *fullTip) modify() error {
	if t.window == 0 {
		window, err := systrayWindow()
		if err != nil {
			return err
		}
		t.window = window
	}
	units, err := windows.UTF16FromString(t.text)
	if err != nil {
		return err
	}
	data := notifyIconData{window: t.window, id: systrayIconID, flags: nifTip}
	data.size = uint32(unsafe.Sizeof(data))
	copy(data.tip[:tooltipMax], units)
	if ok, _, err := shellNotifyIcon.Call(nimModify, uintptr(unsafe.Pointer(&data))); ok == 0 { //nolint:gosec // how Windows is called
		return err
	}
	return nil
}

// systrayWindow finds the icon's window. Other programs use systray as well.
func systrayWindow() (windows.HWND, error) {
	class, err := windows.UTF16PtrFromString(systrayClass)
	if err != nil {
		return 0, err
	}
	var window uintptr
	for {
		window, _, _ = findWindowEx.Call(0, window, uintptr(unsafe.Pointer(class)), 0) //nolint:gosec // as above
		if window == 0 {
			return 0, errors.New("the icon has no window")
		}
		var pid uint32
		if _, err := windows.GetWindowThreadProcessId(windows.HWND(window), &pid); err == nil && int(pid) == os.Getpid() {
			return windows.HWND(window), nil
		}
	}
}
