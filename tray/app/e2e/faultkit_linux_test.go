package e2e

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
	"windsock/tray/traytest"
)

// room is a person's session in which all is well: an editor is signed in, the app
// shows its figures, a warning was shown and further ones are muted, a sample is in
// the history, and the configuration is not the default one.
type room struct {
	*editor

	t *testing.T
	// desk is the session bus that the app is on: the room's, mostly.
	desk     *traytest.Bus
	watcher  *traytest.Watcher
	notifier *traytest.Notifier
	app      *traytest.Process
	item     *traytest.Item
	// menu is the app's menu while all is well, and icon its icon.
	menu string
	icon []byte
	// history is what `windsock history` says before the fault.
	history string
	// since is when the figures were had at the earliest.
	since time.Time
	// told are the notifications so far.
	told []string
	// unlock lets go of what lock has locked.
	unlock func()
}

// The person's configuration: times show whether it still applies.
const roomConfig = "[usage]\nclock = \"12h\"\n"

// The account's figures, before a fault and after it.
const (
	scenarioBefore = "pro_low"
	figuresBefore  = "Prompt credits: 80 of 500 left (16 %)"
	warningBefore  = "Prompt credits: 16 % left"
	scenarioAfter  = "pro_near_end"
	figuresAfter   = "Prompt credits: 15 of 500 left (3 %)"
	warningAfter   = "Prompt credits: 3 % left"
)

// newRoom sets a room up. program starts the app; empty is the app itself.
func newRoom(t *testing.T, program ...string) *room {
	t.Helper()
	return newRoomOn(t, traytest.StartBus(t), program...)
}

// newRoomOn sets a room up in a session.
func newRoomOn(t *testing.T, bus *traytest.Bus, program ...string) *room {
	t.Helper()
	r := &room{editor: signIn(t, bus), t: t, desk: bus, watcher: bus.Watch(t, true), notifier: bus.Notifier(t, "body")}
	r.configure(roomConfig)
	r.start(t, simulator.Config{Scenario: scenarioBefore})
	r.since = time.Now()
	r.launch(program...)
	launched := time.Now()
	r.item.WaitMenuContains(t, figuresBefore)
	r.told = []string{warningBefore}
	r.wasTold()
	r.mute()
	// The app's other look-ups may end after the figures arrive.
	r.menu = plainMenu(r.item.WaitMenu(t, func(text string) bool {
		return muted(text, true) && strings.Contains(text, "updated just now") &&
			strings.Contains(text, "Clean trajectories…") && strings.Contains(text, "Local API") && strings.Contains(text, "Start at login")
	}))
	// systray loses an icon that is set while it connects; the app sets it again
	// two seconds after its start.
	waitFor(t, "an icon that is there for sure", func() bool { return time.Since(launched) > 3*time.Second })
	r.icon = iconBeside(t, r.item, "· updated just now").Pix
	waitFor(t, "a history", func() bool { r.history = r.samples(); return r.history != "" })
	return r
}

// launch starts the app and waits for its icon.
func (r *room) launch(program ...string) {
	r.t.Helper()
	cmd := r.command(r.t)
	if len(program) > 0 {
		inner := cmd
		cmd = exec.CommandContext(context.WithoutCancel(r.t.Context()), program[0], append(program[1:], inner.Path)...)
		cmd.Env = inner.Env
	}
	cmd.Env = append(cmd.Env, "DBUS_SESSION_BUS_ADDRESS="+r.desk.Address())
	r.app = r.bus.Start(r.t, cmd)
	r.item = r.desk.Item(r.t, r.app.PID())
}

// again starts the app once more after it has ended.
func (r *room) again() {
	r.t.Helper()
	r.app.Wait(r.t)
	r.launch()
}

func (r *room) config() string {
	return filepath.Join(r.bus.Dir(), "home", ".config", "windsock", "config.toml")
}

func (r *room) state(name string) string {
	return filepath.Join(r.bus.Dir(), "home", ".local", "state", "windsock", name)
}

// database is the editor's, with the sign-in in it.
func (r *room) database() string {
	return filepath.Join(r.bus.Dir(), "home", ".config", "Windsurf", "User", "globalStorage", "state.vscdb")
}

// signInWith replaces the present sign-in; an empty key signs out.
func (r *room) signInWith(key string) {
	r.t.Helper()
	dir := filepath.Join(r.bus.Dir(), "home", ".config", "Windsurf")
	if err := simtest.SignIn(dir, simtest.Auth{Key: key}); err != nil {
		r.t.Fatal(err)
	}
}

// configure puts a configuration in the place of the present one.
func (r *room) configure(text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.config()), 0o700); err != nil {
		r.t.Fatal(err)
	}
	replaceFile(r.t, r.config(), text)
}

// write overwrites a file.
func (r *room) write(file, text string) {
	r.t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// set lets the server go wrong, or right again.
func (r *room) set(scenario string, fault simulator.Fault) {
	r.t.Helper()
	if err := r.server.Set(r.t.Context(), scenario, fault); err != nil {
		r.t.Fatal(err)
	}
}

// run runs a command of Windsock's to its end in the room.
func (r *room) run(args ...string) (stdout, stderr string, code int) {
	r.t.Helper()
	cmd := r.command(r.t, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	code = r.bus.Start(r.t, cmd).Wait(r.t)
	return out.String(), said.String(), code
}

// samples is the whole history, a line for each sample but the heading.
func (r *room) samples() string {
	r.t.Helper()
	out, said, code := r.run("history", "--csv")
	if code != 0 || said != "" {
		r.t.Fatalf("history: exit code %d, %s", code, said)
	}
	_, rows, _ := strings.Cut(out, "\n")
	return rows
}

// hasSampleBefore waits for the first sample of the day's quota, which has to be
// from before a time.
func (r *room) hasSampleBefore(end time.Time) {
	r.t.Helper()
	var at time.Time
	waitFor(r.t, "a sample of the quota", func() bool {
		for row := range strings.Lines(r.samples()) {
			fields := strings.Split(row, ",")
			if fields[1] == "daily_quota" {
				at, _ = time.Parse(time.RFC3339, fields[0])
				return true
			}
		}
		return false
	})
	if !at.Before(end.Truncate(time.Second)) {
		r.t.Errorf("the first sample is of %v, after %v", at, end)
	}
}

// mute clicks on the row that mutes the credits' warnings, or unmutes them.
func (r *room) mute() {
	r.t.Helper()
	waitFor(r.t, "a row that mutes", func() bool {
		for _, row := range r.item.Menu(r.t) {
			if row.Visible && strings.HasPrefix(row.Label, muteLabel) {
				return r.item.TryClick(r.t, row.Label)
			}
		}
		return false
	})
}

const muteLabel = "Mute warnings: Prompt credits"

// muted reports whether a menu has the row that mutes, in a state.
func muted(menu string, on bool) bool {
	mark := "[ ]"
	if on {
		mark = "[x]"
	}
	return regexp.MustCompile(`(?m)^` + muteLabel + ` .*\` + mark + `$`).MatchString(menu)
}

// wasTold waits until the notifications are those that are expected.
func (r *room) wasTold() {
	r.t.Helper()
	waitFor(r.t, "a notification", func() bool { return len(r.notifications()) >= len(r.told) })
	r.wasToldNoMore()
}

// wasToldNoMore checks the notifications, without waiting for any.
func (r *room) wasToldNoMore() {
	r.t.Helper()
	if diff := cmp.Diff(r.told, r.notifications()); diff != "" {
		r.t.Errorf("notifications (-want +got):\n%s", diff)
	}
}

// notifications are the titles that a daemon has accepted.
func (r *room) notifications() []string {
	r.t.Helper()
	var titles []string
	for _, n := range r.desk.Notifications(r.t) {
		if n.ID != 0 {
			titles = append(titles, n.Summary)
		}
	}
	return titles
}

// asked waits until the app has asked the server n times more.
func (r *room) asked(n int) {
	r.t.Helper()
	before := r.server.Count()["GetUserStatus"]
	waitFor(r.t, "further questions", func() bool { return r.server.Count()["GetUserStatus"] >= before+n })
}

// plainMenu is a menu without what differs from one second to the next, with
// each sentence on one line.
func plainMenu(text string) string {
	text = regexp.MustCompile(`(?m)^(Refreshing…|Refresh now \(.*\))  \[disabled\]$`).ReplaceAllString(text, "Refresh now")
	text = regexp.MustCompile(`(?m)^(Mute warnings: [A-Za-z ]+) \(until .*\)  `).ReplaceAllString(text, "$1  ")
	text = regexp.MustCompile(`  \[disabled\]\n`).ReplaceAllString(text, "\n")
	text = strings.ReplaceAll(text, "-\n    ", "-") // within a word
	text = strings.ReplaceAll(text, "\n    ", " ")
	return numberless(dateless(text))
}

// numberless is a text without what no test can know beforehand.
func numberless(text string) string {
	text = clockTime.ReplaceAllString(text, "TIME")
	text = regexp.MustCompile(`process \d+`).ReplaceAllString(text, "process N")
	text = regexp.MustCompile(`ports \d+, \d+`).ReplaceAllString(text, "ports N, N")
	return regexp.MustCompile(`unreadable-\d+-\d+`).ReplaceAllString(text, "unreadable-DATE")
}

var clockTime = regexp.MustCompile(`\b((Sun|Mon|Tue|Wed|Thu|Fri|Sat) )?\d{1,2}:\d\d [AP]M\b`)

// shows waits until the menu equals that of when all was well, except for its heading
// and the sentences below it, and for the way to figures where no editor runs.
func (r *room) shows(heading string) string {
	r.t.Helper()
	menu := strings.Replace(r.menu, "Windsurf · Pro · updated just now\n", heading, 1)
	if strings.Contains(heading, "is not running") {
		menu = strings.Replace(menu, "---\n", "Figures without the editor…\n---\n", 1)
	}
	return r.waitMenu(menu)
}

// other is the menu of when all was well with other figures in it.
func (r *room) other(figures string) string {
	_, actions, _ := strings.Cut(r.menu, "---\n")
	return figures + "---\n" + actions
}

// tight is other for so many rows that the last but one has no room.
func (r *room) tight(figures string) string {
	return strings.Replace(r.other(figures), "Start at login  [ ]\n", "", 1)
}

// waitMenu waits for a whole menu, as plainMenu has it.
func (r *room) waitMenu(want string) string {
	r.t.Helper()
	return r.waitMenuAs(want, func(text string) string { return text })
}

// waitMenuAs waits for a menu of which as makes want.
func (r *room) waitMenuAs(want string, as func(string) string) string {
	r.t.Helper()
	var text string
	eventually(r.t, "menu as it should be", want, func() string {
		text = r.item.MenuText(r.t)
		return as(plainMenu(text))
	})
	return text
}

// isAged checks what stands for figures that were had before a fault: their age
// is that time, everywhere, and the icon is not that of fresh ones.
func (r *room) isAged(menu string, until time.Time) {
	r.t.Helper()
	var minutes []string
	for at := r.since.UTC(); at.Before(until.Add(time.Minute)); at = at.Add(time.Minute) {
		minutes = append(minutes, at.Format("3:04 PM"))
	}
	// On its way to the desktop, the menu may be ahead of the tooltip.
	var tip string
	want := figuresBefore + ", as of TIME"
	eventually(r.t, "a tooltip of figures that are not fresh", want, func() string {
		tip = r.item.ToolTip(r.t)
		return clockTime.ReplaceAllString(tip, "TIME")
	})
	for _, text := range []string{menu, tip} {
		at := clockTime.FindString(text)
		bare := regexp.MustCompile(`^[A-Z][a-z]+ `).ReplaceAllString(at, "") // midnight may be in between
		if !slices.Contains(minutes, bare) {
			r.t.Errorf("figures of %q, want one of %q: %s", at, minutes, text)
		}
	}
	waitFor(r.t, "an icon that looks stale", func() bool { return !bytes.Equal(r.icon, r.item.Icon(r.t).Pix) })
}

// recovers waits until the app shows new figures of the server as such, at once
// if a person asks for them.
func (r *room) recovers(refresh bool) {
	r.t.Helper()
	var text string
	defer func() {
		if r.t.Failed() {
			r.t.Logf("the last menu:\n%s", text)
		}
	}()
	waitFor(r.t, "fresh figures", func() bool {
		text = r.item.MenuText(r.t)
		if strings.Contains(text, figuresAfter) && strings.Contains(text, "· Pro · updated just now\n") {
			return !strings.Contains(text, "Showing")
		}
		if refresh {
			r.item.TryClick(r.t, "Refresh now")
		}
		return false
	})
	r.status("", 0)
}

// status checks what `windsock status` says: figures, or a sentence and no
// figure at all.
func (r *room) status(sentence string, code int) {
	r.t.Helper()
	stdout, stderr, got := r.run("status")
	want := ""
	if sentence != "" {
		want = "windsock: " + sentence + "\n"
	}
	if diff := cmp.Diff(want, numberless(stderr)); diff != "" || got != code {
		r.t.Errorf("status: exit code %d, want %d; stderr (-want +got):\n%s", got, code, diff)
	}
	if figures := strings.Contains(stdout, " left"); figures != (code == 0) || !figures && stdout != "" {
		r.t.Errorf("status: exit code %d, with the figures:\n%s", got, stdout)
	}
}

// besides starts a second server of the same editor, which is the room's server from
// then on.
func (r *room) besides(scenario string) {
	r.t.Helper()
	old := content(r.t, r.pids())
	r.start(r.t, simulator.Config{Scenario: scenario})
	replaceFile(r.t, r.pids(), old+" "+content(r.t, r.pids()))
}

// signalServer sends a signal to a server and its parent.
func signalServer(t *testing.T, server *simulator.Process, signal syscall.Signal) {
	t.Helper()
	for _, pid := range server.PIDs() {
		if err := syscall.Kill(pid, signal); err != nil {
			t.Fatal(err)
		}
		if signal == syscall.SIGSTOP { // or it would not end with the test
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
		}
	}
}

// lock locks a database, until unlock.
func (r *room) lock(file string) {
	r.t.Helper()
	r.unlock = lockDatabase(r.t, file)
}

// lockDatabase locks a database against all writers, until unlock; without WAL, against
// all readers, too.
func lockDatabase(t *testing.T, file string) (unlock func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(60000)") // the app may be at it
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	unlock = sync.OnceFunc(func() { _ = db.Close() })
	t.Cleanup(unlock)
	if _, err := db.ExecContext(context.WithoutCancel(t.Context()), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	return unlock
}

// limit bounds the size that the app's files can grow to.
func (r *room) limit(size string) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "prlimit", "--pid", strconv.Itoa(r.app.PID()), "--fsize="+size+":unlimited")
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
}

// nextBus is the desktop after its bus has died: a new bus, with everything from the
// old one except the app.
func (r *room) nextBus() {
	r.t.Helper()
	r.desk = traytest.StartBus(r.t)
	r.watcher, r.notifier = r.desk.Watch(r.t, true), r.desk.Notifier(r.t, "body")
	r.told = nil
}

// hasLostNothing checks that a fault has cost nothing that a person has, once
// the figures have fallen below the next threshold.
func (r *room) hasLostNothing() {
	r.t.Helper()
	if got := r.samples(); !strings.HasPrefix(got, r.history) {
		r.t.Errorf("history, before:\n%safter:\n%s", r.history, got)
	}
	if got := content(r.t, r.config()); got != roomConfig {
		r.t.Errorf("config is %q", got)
	}
	// A shown warning is not repeated, and a muted one stays muted; then it is shown.
	r.item.WaitMenu(r.t, func(text string) bool { return muted(text, true) })
	r.asked(2)
	r.wasToldNoMore()
	r.mute()
	r.told = append(r.told, warningAfter)
	r.wasTold()
}
