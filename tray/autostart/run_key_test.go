package autostart

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fakeRegistry holds the two values of an entry.
type fakeRegistry struct {
	line  string
	noted []byte
	err   error // of every call
}

func (r *fakeRegistry) command() (string, error) { return r.line, r.err }

func (r *fakeRegistry) setCommand(line string) error {
	r.line = line
	return r.err
}

func (r *fakeRegistry) removeCommand() error {
	r.line = ""
	return r.err
}

func (r *fakeRegistry) approval() ([]byte, error) { return r.noted, r.err }

func (r *fakeRegistry) removeApproval() error {
	r.noted = nil
	return r.err
}

func TestRunPlace(t *testing.T) {
	own := makeExecutable(t, "my windsock.exe")
	line := `"` + own + `" tray`
	moved := `"` + own + `-old.exe" tray`
	off := []byte{3, 0, 0, 0}
	for _, tt := range []struct {
		name    string
		line    string
		noted   []byte
		enabled bool
		then    string // after Enable
	}{
		{"nothing", "", nil, false, line},
		{"on", line, nil, true, line},
		{"on_as_noted", line, []byte{2, 0, 0, 0}, true, line},
		{"switched_off_by_the_user", line, off, false, line},
		{"moved", moved, nil, false, line},
		{"moved_and_switched_off", moved, off, false, line},
		{"own_arguments", line + " -v", off, false, line + " -v"},
		{"noted_and_gone", "", off, false, line},
	} {
		t.Run(tt.name, func(t *testing.T) {
			values := &fakeRegistry{line: tt.line, noted: tt.noted}
			e := entryOf(runPlace{values}, own, "tray")
			assertEnabled(t, e, tt.enabled)
			enable(t, e)
			if values.line != tt.then {
				t.Errorf("after Enable: %s, want %s", values.line, tt.then)
			}
			disable(t, e)
			if values.line != "" || values.noted != nil {
				t.Errorf("after Disable: %+v", values)
			}
			disable(t, e)
		})
	}
}

// An executable that was moved while an entry names it.
func TestRunPlaceFollowsTheExecutable(t *testing.T) {
	before, after := makeExecutable(t, "windsock.exe"), makeExecutable(t, "windsock.exe")
	values := &fakeRegistry{}
	enable(t, entryOf(runPlace{values}, before))
	if err := os.Remove(before); err != nil {
		t.Fatal(err)
	}
	assertEnabled(t, entryOf(runPlace{values}, before), false)
	moved := entryOf(runPlace{values}, after)
	assertEnabled(t, moved, false)
	enable(t, moved)
	if want := `"` + after + `"`; values.line != want {
		t.Errorf("starts %s, want %s", values.line, want)
	}
}

func TestRunPlaceFails(t *testing.T) {
	values := &fakeRegistry{err: errors.New("access is denied")}
	e := entryOf(runPlace{values}, makeExecutable(t, "windsock.exe"))
	_, looked := e.Enabled()
	const cure = `: access is denied. Check Software\Microsoft\Windows\CurrentVersion\Run in HKEY_CURRENT_USER of the registry and its permissions, then try again.`
	want := []told{
		{"read autostart entry: access is denied", "Windsock cannot tell whether it starts at login" + cure},
		{"write autostart entry: access is denied", "Windsock cannot be set to start at login" + cure},
		{"remove autostart entry: access is denied", "Windsock cannot be kept from starting at login" + cure},
	}
	got := []told{tell(t, looked), tell(t, e.Enable()), tell(t, e.Disable())}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
