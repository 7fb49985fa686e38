package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
	"windsock/probe/simulator"
	"windsock/tray/traytest"
)

// told is a command with its exit code, and the last that it says on stderr, after the
// wording of what it asks consent for; "*" is anything.
type told struct {
	args   string
	stderr string
	code   int
}

// What commands say while nothing can be written. WHY is the system's reason, and DISK what
// the disk asks for.
var unwritable = []told{
	{"status", "", 0},
	{"status --json", "", 0},
	{"status --save HOME/answer.json", "windsock: The answer cannot be saved: WHY. DISK, then try again.\n", 1},
	{"status --format prometheus --output HOME/windsock.prom", "windsock: The file of --output cannot be written: WHY. It is as it was. DISK, then try again.\n", 1},
	{"history", "windsock: HISTORY DISK.\n", 1},
	{"spend", "windsock: HISTORY DISK.\n", 1},
	{"clean --yes", "windsock: HISTORY DISK.\n", 1},
	{"config --init", "windsock: config.toml cannot be made: WHY. DISK, then try again.\n", 1},
	{"cloud allow cursor --yes", "windsock: config.toml cannot be written: WHY. DISK, then try again.\n", 1},
	{"serve --port 18423", "windsock: The local API cannot keep its key and its port in Windsock's state directory. DISK, then try again.\n", 1},
	{"antigravity install --yes", "windsock: agy's settings, ~/.gemini/antigravity-cli/settings.json, cannot be written. DISK, then try again.\n", 1},
}

// TestDiskCommands runs the commands on disks that take nothing. What a prompt says is all
// there, each other command ends in a sentence with what to do, and no file is begun. Once
// the disk takes something again, they go on with what was kept.
func TestDiskCommands(t *testing.T) {
	t.Parallel()
	for _, disk := range []struct {
		name   string
		breaks func(*testing.T, string) (mend func())
		words  []string
	}{
		{"full", fill, []string{
			"WHY", "no space left on device", "DISK", "Make some room", "HISTORY", "The disk is full, so the history cannot be kept.",
		}},
		{"read_only", readOnly, []string{
			"WHY", "read-only file system", "DISK", "Make the disk writable again", "HISTORY", "The history is on a disk that is read-only.",
		}},
	} {
		t.Run(disk.name, func(t *testing.T) {
			t.Parallel()
			h := newHomeOnDisk(t)
			h.says(t, told{"status", "", 0})
			h.says(t, told{"ask hello", "", 0})
			before := h.out(t, "history --csv")
			files := h.files(t)
			mend := disk.breaks(t, h.home)
			for _, row := range unwritable {
				row.stderr = strings.NewReplacer(disk.words...).Replace(row.stderr)
				h.says(t, row)
			}
			if answer := h.out(t, "ask hello"); !strings.Contains(answer, "That is all there is to it.") {
				t.Errorf("the answer:\n%s", answer)
			}
			mend()
			if diff := cmp.Diff(files, h.files(t)); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
			if got := h.out(t, "history --csv"); got != before {
				t.Errorf("history, before:\n%safter:\n%s", before, got)
			}
			for _, args := range []string{"config --init", "clean --yes", "status --save HOME/answer.json", "spend"} {
				h.says(t, told{args, "*", 0})
			}
		})
	}
}

// diskFault is a row of what can befall the disk under the app.
type diskFault struct {
	name   string
	breaks string
	play   func(*testing.T)
}

var diskFaults = []diskFault{
	{"full_at_the_start", "the disk is full when the app starts, and has room later", fullAtTheStart},
	{"read_only_at_the_start", "the disk is read-only when the app starts, and can be written later", readOnlyAtTheStart},
	{"home_vanishes", "the home is unmounted while the app runs, and comes back", homeVanishes},
	{"state_vanishes", "the disk of $XDG_STATE_HOME is unmounted while the app runs, and comes back", stateVanishes},
}

// TestDiskApp plays every row of the table. The person learns the cause, the figures go
// on, and what was recorded, told and muted before is known after it.
func TestDiskApp(t *testing.T) {
	t.Parallel()
	probetest.NeedTools(t, "dbus-daemon")
	for _, f := range diskFaults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			t.Log(f.breaks)
			f.play(t)
		})
	}
}

func fullAtTheStart(t *testing.T) {
	t.Helper()
	unusableAtTheStart(t, fill, "The disk is full, so the history cannot be kept. Make some room.\n")
}

func readOnlyAtTheStart(t *testing.T) {
	t.Helper()
	unusableAtTheStart(t, readOnly, "The history is on a disk that is read-only. Make the disk writable again.\n")
}

// unusableAtTheStart: while the app cannot know what was told, a warning comes again.
// From then on nothing is told twice, and what was muted is so again.
func unusableAtTheStart(t *testing.T, breaks func(*testing.T, string) (mend func()), notice string) {
	t.Helper()
	r, home := roomOnDisk(t)
	r.app.Signal(t, syscall.SIGTERM)
	r.app.Wait(t)
	mend := breaks(t, home)
	r.launch()
	r.told = append(r.told, warningBefore)
	r.wasTold()
	// The pace is that of the figures alone, so that there may be another verdict.
	menu := r.item.WaitMenuContains(t, "· Pro · updated just now", figuresBefore, strings.Fields(notice)[0])
	if text := plainMenu(menu); !strings.Contains(text, notice+muteLabel+"  [ ]") {
		t.Errorf("the menu:\n%s", text)
	}
	r.status("", 0)
	mend()
	// What can be cleaned is looked up ten minutes later.
	withoutClean := func(text string) string { return strings.Replace(text, "Clean trajectories…\n", "", 1) }
	r.waitMenuAs(withoutClean(r.menu), withoutClean) // with the mute
	r.app.Signal(t, syscall.SIGKILL)
	r.again()
	after(r)
	r.recovers(false)
	r.hasLostNothing()
}

// homeVanishes: with it the sign-in is gone, and there are no new figures.
func homeVanishes(t *testing.T) {
	t.Helper()
	bus := traytest.StartBus(t)
	plug, unplug := onAnother(t, bus, "home")
	r := newRoomOn(t, bus)
	unplug()
	const sentence = "Windsurf is not signed in: no sign-in was found in this user's files"
	r.isAged(r.shows("Windsurf · Pro\nShowing figures of TIME ("+sentence+")\n"), time.Now())
	r.wasToldNoMore()
	r.status(sentence+". Sign in to Windsurf, then try again.", 4)
	plug()
	after(r)
	r.recovers(true)
	// The settings are followed again.
	r.configure("[usage]\nclock = \"13h\"\n")
	r.item.WaitMenuContains(t, "usage.clock is")
	r.configure(roomConfig)
	waitFor(t, "settings without a problem", func() bool { return !strings.Contains(r.item.MenuText(t), "usage.clock is") })
	r.hasLostNothing()
}

// stateVanishes: the figures go on, and what is seen and told meanwhile is kept afterwards.
func stateVanishes(t *testing.T) {
	t.Helper()
	bus := traytest.StartBus(t)
	plug, unplug := onAnother(t, bus, "home/.local/state")
	r := newRoomOn(t, bus)
	unplug()
	r.set("quota_tight", simulator.FaultNone)
	r.told = append(r.told, "Weekly quota: 12 % left")
	r.wasTold()
	const notice = "The directory of the history is gone. Bring it back: it may be on a disk that is not mounted.\n"
	waitFor(t, "a sentence about the history", func() bool { return strings.Contains(plainMenu(r.item.MenuText(t)), notice) })
	r.status("", 0)
	r.asked(3) // and a second has begun
	plugged := time.Now()
	plug()
	r.hasSampleBefore(plugged)
	r.waitMenu(r.tight(quotaPlan))
	r.asked(2) // and the notification has been recorded
	r.app.Signal(t, syscall.SIGKILL)
	r.again()
	after(r)
	r.recovers(false)
	r.hasLostNothing()
}
