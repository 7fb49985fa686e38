package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"windsock/probe/probetest"
	"windsock/probe/simulator"
)

// level is what of a row is real.
type level string

const (
	// process: a real app on a private session bus, real server processes that
	// are simulated, real files; the menu is read as a panel reads it.
	process level = "process"
	// clock: the poller, the history, the warnings and their words in one process,
	// on clocks that the test sets (faultkit_clock_linux_test.go): no process can be made
	// to sleep, nor its clock be set, without being root.
	clock level = "clock"
)

// age says which figures are shown during a fault; "" if that cannot be checked.
type age string

const (
	fresh age = "fresh" // as if there were no fault
	aged  age = "aged"  // those of before, with their time, and an icon that looks stale
)

// A fault is a row of the matrix: the fault itself, and everything that a person sees
// of it. In texts TIME is a time of the day, and N a number.
type fault struct {
	name   string
	breaks string
	level  level

	// begin starts the fault. Its effect lasts until end.
	begin, end func(*room)
	// figures says which figures are shown meanwhile, and menu the sentence with them,
	// "" for none.
	figures age
	menu    string
	// status is what `windsock status` says then, and code its exit code.
	status string
	code   int
	// alone says that the figures come after the end without a request.
	alone bool
	// program starts the app; empty is the app itself.
	program []string

	// play replaces all that, for a fault with another course.
	play func(*room)
	// virtual is the row at the clock level.
	virtual func(*testing.T)
}

var faults = []fault{
	{
		name: "editor_quits", breaks: "the editor and its server end", level: process,
		begin:   func(r *room) { r.quit(r.t) },
		figures: aged, menu: "Showing figures of TIME (Windsurf is not running)",
		status: "Windsurf (Devin Desktop) is not running. Start Windsurf (Devin Desktop) and try again.", code: 3,
		end: func(r *room) { r.start(r.t, simulator.Config{Scenario: scenarioAfter}) },
	},
	{
		name: "editor_restarts", breaks: "the server comes back with another process, port and token", level: process,
		begin: func(r *room) {
			old := r.server
			r.quit(r.t)
			r.start(r.t, simulator.Config{Scenario: scenarioBefore})
			if old.Ready().Token == r.server.Ready().Token || old.PIDs()[0] == r.server.PIDs()[0] {
				r.t.Fatal("it is the old server")
			}
			r.asked(1)
		},
		figures: fresh, end: after, alone: true,
	},
	{
		name: "server_hangs", breaks: "GetUserStatus is never answered", level: process,
		begin: serverFault(simulator.FaultHang), end: after,
		figures: aged, menu: "Showing figures of TIME (Windsurf did not answer in time: GetUserStatus took too long)",
		status: "Windsurf did not answer in time: GetUserStatus took too long. Try again in a moment; if it stays so, restart Windsurf.", code: 1,
	},
	{
		name: "server_stops", breaks: "the server's process is stopped; its port takes connections", level: process,
		begin: func(r *room) { signalServer(r.t, r.server, syscall.SIGSTOP) },
		end: func(r *room) {
			signalServer(r.t, r.server, syscall.SIGCONT)
			after(r)
		},
		figures: aged, menu: "Showing figures of TIME (Windsurf runs, but its language server does not answer: process N, tried ports N, N)",
		status: "Windsurf runs, but its language server does not answer: process N, tried ports N, N. If Windsurf has just started, try again in a moment; else restart Windsurf.", code: 3,
	},
	{
		name: "server_resets", breaks: "the connection is reset in mid-call", level: process,
		begin: serverFault(simulator.FaultReset), end: after,
		figures: aged, menu: "Showing figures of TIME (Windsurf gave an answer that cannot be used: the connection broke during GetUserStatus)",
		status: "Windsurf gave an answer that cannot be used: the connection broke during GetUserStatus. Try again in a moment; if it stays so, restart Windsurf.", code: 1,
	},
	{
		name: "server_starts_slowly", breaks: "the server listens, and answers nothing for a while", level: process,
		play: slowStart,
	},
	{
		name: "server_starts_too_slowly", breaks: "the server listens, and answers nothing", level: process,
		begin: func(r *room) {
			old := r.server
			r.start(r.t, simulator.Config{Fault: simulator.FaultSlowStart, SlowStart: time.Hour})
			if err := old.Stop(); err != nil {
				r.t.Fatal(err)
			}
		},
		figures: aged, menu: "Showing figures of TIME (Windsurf runs, but its language server does not answer: process N, tried ports N, N)",
		status: "Windsurf runs, but its language server does not answer: process N, tried ports N, N. If Windsurf has just started, try again in a moment; else restart Windsurf.", code: 3,
		end: func(r *room) {
			r.quit(r.t)
			r.start(r.t, simulator.Config{Scenario: scenarioAfter})
		},
	},
	{
		name: "server_sends_garbage", breaks: "the answer is a page of HTML", level: process,
		begin: serverFault(simulator.FaultGarbage), end: after,
		figures: aged, menu: "Showing figures of TIME (The answer about the plan is not a JSON object)",
		status: "The answer about the plan is not a JSON object. Restart the editor, then try again.", code: 1,
	},
	{
		name: "server_sends_too_much", breaks: "the answer has 64 MB", level: process,
		begin: serverFault(simulator.FaultHuge), end: after,
		figures: aged, menu: "Showing figures of TIME (Windsurf gave an answer that cannot be used: GetUserStatus sent far more than an answer holds)",
		status: "Windsurf gave an answer that cannot be used: GetUserStatus sent far more than an answer holds. Try again in a moment; if it stays so, restart Windsurf.", code: 1,
	},
	{
		name: "server_fails", breaks: "the answer is a 500 that is not in Connect form", level: process,
		begin: serverFault(simulator.FaultError500), end: after,
		figures: aged, menu: "Showing figures of TIME (Windsurf gave an answer that cannot be used: GetUserStatus sent something that is no Connect answer)",
		status: "Windsurf gave an answer that cannot be used: GetUserStatus sent something that is no Connect answer. Try again in a moment; if it stays so, restart Windsurf.", code: 1,
	},
	{
		name: "token_is_wrong", breaks: "the server refuses the token that it was started with, on every RPC", level: process,
		begin: serverFault(simulator.FaultWrongToken), end: after,
		figures: aged, menu: "Showing figures of TIME (The language server of Windsurf refuses the access token that it was started with)",
		status: "The language server of Windsurf refuses the access token that it was started with. Restart Windsurf and try again.", code: 4,
	},
	{
		name: "token_goes_bad", breaks: "the server refuses the token after it took it", level: process,
		begin: serverFault(simulator.FaultReject), end: after,
		figures: aged, menu: "Showing figures of TIME (The language server of Windsurf refuses the access token that it was started with)",
		status: "The language server of Windsurf refuses the access token that it was started with. Restart Windsurf and try again.", code: 4,
	},
	{
		name: "zombie_answers", breaks: "an old server still answers beside the new one", level: process,
		begin: func(r *room) {
			old := r.server
			r.besides(scenarioBefore)
			r.asked(1) // until then, the old one's answer is right
			if err := old.Set(r.t.Context(), "quota_tight", simulator.FaultNone); err != nil {
				r.t.Fatal(err)
			}
			r.asked(2)
		},
		figures: fresh, end: after, alone: true,
	},
	{
		name: "zombie_hangs", breaks: "an old server is stopped, and still listens, beside the new one", level: process,
		begin: func(r *room) {
			signalServer(r.t, r.server, syscall.SIGSTOP)
			r.besides(scenarioBefore)
			r.asked(2)
		},
		figures: fresh, end: after,
	},
	{
		name: "newest_server_hangs", breaks: "a second window's server is stopped, beside the first one's", level: process,
		begin: func(r *room) {
			first := r.server
			r.besides(scenarioBefore)
			signalServer(r.t, r.server, syscall.SIGSTOP)
			r.server = first
			r.asked(2)
		},
		figures: fresh, end: after,
	},
	{
		name: "key_is_rotated", breaks: "the server knows the stored key no more", level: process,
		begin: func(r *room) {
			r.quit(r.t)
			r.start(r.t, simulator.Config{Scenario: scenarioAfter, RefusedKeys: []string{testKey}})
		},
		figures: aged, menu: "Showing figures of TIME (Windsurf is not signed in: its server knows no account for the stored key)",
		status: "Windsurf is not signed in: its server knows no account for the stored key. Sign in to Windsurf, then try again.", code: 4,
		end: func(r *room) { r.signInWith("sk-ws-01-rotated") },
	},
	{
		name: "signed_out", breaks: "the key is no longer stored", level: process,
		begin:   func(r *room) { r.signInWith("") },
		figures: aged, menu: "Showing figures of TIME (Windsurf is not signed in: Windsurf/User/globalStorage/state.vscdb: nobody is signed in there)",
		status: "Windsurf is not signed in: Windsurf/User/globalStorage/state.vscdb: nobody is signed in there. Sign in to Windsurf, then try again.", code: 4,
		end: func(r *room) {
			r.signInWith(testKey)
			after(r)
		},
	},
	{
		name: "account_is_signed_out", breaks: "the server says that nobody is signed in", level: process,
		begin:   func(r *room) { r.set("signed_out", simulator.FaultNone) },
		figures: aged, menu: "Showing figures of TIME (Windsurf is not signed in: its server knows no account for the stored key)",
		status: "Windsurf is not signed in: its server knows no account for the stored key. Sign in to Windsurf, then try again.", code: 4,
		end: after,
	},
	{
		name: "database_is_locked", breaks: "the editor holds its database locked", level: process,
		begin: func(r *room) {
			r.lock(r.database())
			r.asked(2)
		},
		figures: fresh, alone: true,
		end: func(r *room) {
			r.unlock()
			after(r)
		},
	},
	{
		name: "database_is_corrupt", breaks: "the editor's database is overwritten", level: process,
		begin: func(r *room) {
			r.write(r.database(), "This was a database before the disk filled up.")
		},
		figures: aged, menu: "Showing figures of TIME (Windsurf is not signed in: Windsurf/User/globalStorage/state.vscdb: the file is no database)",
		status: "Windsurf is not signed in: Windsurf/User/globalStorage/state.vscdb: the file is no database. Sign in to Windsurf, then try again.", code: 4,
		end: func(r *room) {
			r.signInWith(testKey)
			after(r)
		},
	},
	{
		name: "database_is_replaced", breaks: "another file, with another key, takes the database's place", level: process,
		begin: func(r *room) {
			aside := r.database() + ".old"
			if err := os.Rename(r.database(), aside); err != nil {
				r.t.Fatal(err)
			}
			r.signInWith("sk-ws-01-another")
			waitFor(r.t, "the other key", func() bool { return slices.Contains(r.server.Keys(), "sk-ws-01-another") })
		},
		figures: fresh, end: after, alone: true,
	},
	{
		name: "database_is_gone", breaks: "the editor's database is removed", level: process,
		begin: func(r *room) {
			if err := os.Remove(r.database()); err != nil {
				r.t.Fatal(err)
			}
		},
		figures: aged, menu: "Showing figures of TIME (Windsurf is not signed in: no sign-in was found in this user's files)",
		status: "Windsurf is not signed in: no sign-in was found in this user's files. Sign in to Windsurf, then try again.", code: 4,
		end: func(r *room) {
			r.signInWith(testKey)
			after(r)
		},
	},
	{
		name: "disk_is_full", breaks: "no file of the app's can grow", level: process,
		// A limit makes writes fail as a full disk does, and needs no rights; the
		// signal that comes with it is kept back.
		program: []string{"env", "--block-signal=XFSZ"},
		play:    fullDisk,
	},
	{
		name: "history_is_corrupt", breaks: "the history is overwritten while the app does not run", level: process,
		play: corruptHistory,
	},
	{
		name: "history_is_locked", breaks: "another program holds the history locked", level: process,
		play: lockedHistory,
	},
	{
		name: "config_breaks", breaks: "the configuration is edited to something that means nothing", level: process,
		play: brokenConfig,
	},
	{
		name: "bus_is_gone", breaks: "the desktop's session bus dies", level: process,
		play: busGone,
	},
	{
		name: "panel_is_gone", breaks: "the panel crashes, and comes back", level: process,
		begin: func(r *room) {
			r.watcher.Stop(r.t)
			r.asked(2)
			r.watcher.Start(r.t)
			r.item = r.desk.Item(r.t, r.app.PID())
		},
		figures: fresh, end: after, alone: true,
	},
	{
		name: "notifier_is_gone", breaks: "the notification daemon is not there when a warning is due", level: process,
		play: notifierGone,
	},
	{
		name: "app_is_killed", breaks: "kill -9 of the app, and a new start", level: process,
		begin: func(r *room) {
			r.app.Signal(r.t, syscall.SIGKILL)
			r.again()
		},
		figures: fresh, end: after, alone: true,
	},
	{
		name: "app_is_started_twice", breaks: "the app is started while it runs", level: process,
		begin: func(r *room) {
			stdout, stderr, code := r.run()
			want := fmt.Sprintf("Windsock is already running (PID %d).\n", r.app.PID())
			if stdout != want || stderr != "" || code != 0 {
				r.t.Errorf("second instance: exit code %d, %q, %q, want %q", code, stdout, stderr, want)
			}
		},
		figures: fresh, end: after, alone: true,
	},
	{
		name: "app_sleeps", breaks: "the app is stopped for a while, and goes on", level: process,
		begin: func(r *room) {
			r.app.Signal(r.t, syscall.SIGSTOP)
			r.quit(r.t)
			r.start(r.t, simulator.Config{Scenario: scenarioAfter})
			r.app.Signal(r.t, syscall.SIGCONT)
		},
		end: nothing, alone: true,
	},
	{
		name: "plan_changes", breaks: "the account goes from credits to a quota, and back", level: process,
		play: planChange,
	},
	{
		name: "clock_forth_and_back", breaks: "the wall clock is set three days forth, and back", level: clock,
		virtual: clockForthAndBack,
	},
	{
		name: "clock_a_year_forth_and_back", breaks: "the wall clock is set a year forth, for two days, and back", level: clock,
		virtual: clockAYearForthAndBack,
	},
	{
		name: "machine_sleeps", breaks: "the machine sleeps for eight hours, and the editor is gone when it wakes", level: clock,
		virtual: sleepWithoutEditor,
	},
	{
		name: "reset_while_asleep", breaks: "a quota that is used up resets while the machine sleeps", level: clock,
		virtual: resetWhileAsleep,
	},
}

// TestFaults plays every fault of the table. While it lasts, the person learns the
// cause, and no figure is invented. After it, everything continues and nothing is
// lost.
func TestFaults(t *testing.T) {
	t.Parallel()
	probetest.NeedTools(t, "dbus-daemon")
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.test(t)
		})
	}
}

func (f fault) test(t *testing.T) {
	t.Helper()
	t.Logf("%s (level: %s)", f.breaks, f.level)
	if f.virtual != nil {
		f.virtual(t)
		return
	}
	r := newRoom(t, f.program...)
	if f.play != nil {
		f.play(r)
		return
	}
	f.begin(r)
	f.isTold(t, r, time.Now())
	f.end(r)
	r.recovers(!f.alone)
	r.hasLostNothing()
}

// isTold checks what a person sees of a fault that has begun by a time.
func (f fault) isTold(t *testing.T, r *room, began time.Time) {
	t.Helper()
	switch f.figures {
	case fresh:
		r.shows("Windsurf · Pro · updated just now\n")
	case aged:
		r.isAged(r.shows("Windsurf · Pro\n"+f.menu+"\n"), began)
	default:
		return
	}
	r.wasToldNoMore()
	r.status(f.status, f.code)
}

// serverFault lets the server go wrong.
func serverFault(fault simulator.Fault) func(*room) {
	return func(r *room) {
		r.set(scenarioBefore, fault)
	}
}

// after lets the server be right, with the figures of afterwards.
func after(r *room) {
	r.set(scenarioAfter, simulator.FaultNone)
}

// nothing is the end of a fault that ends by itself.
func nothing(*room) {}

// slowStart: the app waits for a server that has just started, beside the earlier
// figures. The server answers as soon as these have been seen, since the wait is
// limited.
func slowStart(r *room) {
	old := r.server
	r.start(r.t, simulator.Config{Scenario: scenarioAfter, Fault: simulator.FaultSlowStart, SlowStart: time.Hour})
	began := time.Now()
	r.isAged(r.shows("Windsurf · Pro\nShowing figures of TIME (newer ones have not come yet)\n"), began)
	after(r)
	r.wasToldNoMore()
	r.recovers(false)
	r.hasLostNothing()
	if err := old.Stop(); err != nil {
		r.t.Error(err)
	}
}

// fullDisk: the app goes on in memory, and writes when there is room again.
func fullDisk(r *room) {
	r.limit("0")
	r.set("quota_tight", simulator.FaultNone)
	r.item.WaitMenuContains(r.t, "· Pro · updated just now", "Daily quota: 8 % left")
	r.told = append(r.told, "Weekly quota: 12 % left")
	r.wasTold()
	r.asked(2)
	r.wasToldNoMore()
	const notice = "The history cannot be read or written. See whether the disk is full or damaged.\n"
	// There is no room for the resets either, but on the line of a short verdict.
	withoutResets := func(text string) string {
		return regexp.MustCompile(` · resets in … \(…\)( · .*)?`).ReplaceAllString(text, "")
	}
	r.waitMenuAs(withoutResets(r.tight(strings.Replace(quotaPlan, "Mute", notice+"Mute", 1))), withoutResets)
	if got := r.samples(); got != r.history {
		r.t.Errorf("history, on a full disk:\n%s", got)
	}
	r.limit("unlimited")
	r.hasSampleBefore(time.Now())
	r.waitMenu(r.tight(quotaPlan))
	r.asked(2) // and the notification has been recorded
	r.app.Signal(r.t, syscall.SIGKILL)
	r.again()
	after(r)
	r.recovers(false)
	r.hasLostNothing()
}

// lockedHistory: a lock is temporary, so it is not reported, and the waiting samples
// are written afterwards.
func lockedHistory(r *room) {
	r.lock(r.state("history.db"))
	r.set("quota_tight", simulator.FaultNone)
	r.told = append(r.told, "Weekly quota: 12 % left")
	r.wasTold()
	r.waitMenu(r.tight(quotaPlan))
	r.status("", 0)
	if got := r.samples(); got != r.history {
		r.t.Errorf("history, while it is locked:\n%s", got)
	}
	r.asked(2)
	r.unlock()
	r.hasSampleBefore(time.Now())
	r.asked(2) // and the notification has been recorded
	r.app.Signal(r.t, syscall.SIGKILL)
	r.again()
	after(r)
	r.recovers(false)
	r.hasLostNothing()
}

// corruptHistory: the file is kept and reported. A new history begins, so a warning is
// shown once more.
func corruptHistory(r *room) {
	r.app.Signal(r.t, syscall.SIGTERM)
	r.app.Wait(r.t)
	damaged := strings.Repeat("this is no database\n", 1000)
	r.write(r.state("history.db"), damaged)
	r.launch()
	r.told = append(r.told, warningBefore)
	r.wasTold()
	menu := strings.Replace(r.menu, muteLabel+"  [x]",
		"The history could not be read. It lies in history-unreadable-DATE, beside a new one that begins now.\n"+muteLabel+"  [ ]", 1)
	r.waitMenu(menu)
	r.status("", 0)
	kept, err := filepath.Glob(r.state("history-unreadable-*/history.db"))
	if err != nil || len(kept) != 1 || content(r.t, kept[0]) != damaged {
		r.t.Errorf("moved to %q, %v", kept, err)
	}
	if got := r.samples(); strings.Count(got, "\n") != 1 || !strings.Contains(got, ",420,500,80,") {
		r.t.Errorf("history that begins anew:\n%s", got)
	}
	r.mute()
	r.history = r.samples()
	after(r)
	r.recovers(false)
	r.hasLostNothing()
}

// brokenConfig: the settings of before hold until there are others.
func brokenConfig(r *room) {
	r.configure("[usage]\nclock = \"13h\"\n")
	const problem = "config.toml, line 2: usage.clock is \"13h\"; it takes auto, 12h or 24h."
	text := r.waitMenu(strings.Replace(r.menu, muteLabel, problem+"\n"+muteLabel, 1))
	if !regexp.MustCompile(`\d [AP]M\)`).MatchString(text) {
		r.t.Errorf("the clock of before is gone:\n%s", text)
	}
	r.status(problem, 2)
	r.configure(roomConfig)
	r.waitMenu(r.menu)
	after(r)
	r.recovers(false)
	r.hasLostNothing()
}

// busGone: the app ends, and says why.
func busGone(r *room) {
	r.bus.Kill()
	if code := r.app.Wait(r.t); code != 1 {
		r.t.Errorf("exit code %d", code)
	}
	const want = "windsock: The desktop's session bus is gone, and the icon with it. Start Windsock again when the desktop is back.\n"
	if got := r.app.Output(); !strings.HasSuffix(got, want) || strings.Contains(got, "goroutine") {
		r.t.Errorf("output:\n%swant:\n%s", got, want)
	}
	r.status("", 0)
	r.nextBus()
	r.launch()
	r.waitMenu(r.menu)
	after(r)
	r.recovers(false)
	r.hasLostNothing()
}

// notifierGone: a warning that no program could show is shown when one can.
func notifierGone(r *room) {
	r.notifier.Stop(r.t)
	after(r)
	r.mute()
	r.recovers(false)
	r.asked(3)
	r.wasToldNoMore()
	if n := strings.Count(content(r.t, r.state("windsock.log")), "notification not shown"); n != 1 {
		r.t.Errorf("logged %d times", n)
	}
	r.desk.Notifier(r.t, "body")
	r.told = append(r.told, warningAfter)
	r.wasTold()
	r.asked(3)
	r.wasToldNoMore()
	r.mute() // hasLostNothing looks at it, and there is nothing more to tell
	r.item.WaitMenu(r.t, func(text string) bool { return muted(text, true) })
}

// quotaPlan is the menu of a quota plan, without credits.
const quotaPlan = `Windsurf · Pro · updated just now
▰▱▱▱▱▱▱▱▱▱  Daily quota: 8 % left △ As the hour is · resets in … (…)
▰▱▱▱▱▱▱▱▱▱  Weekly quota: 12 % left ▲ Runs out, 6 in 10 · some time · resets in … (…) · To last: up to 5 % a day
Extra usage: $12.50 left
Mute warnings: Daily quota, Weekly quota  [ ]
`

// planChange: the account's new figures are shown, and none of the old ones.
func planChange(r *room) {
	r.set("quota_tight", simulator.FaultNone)
	r.told = append(r.told, "Weekly quota: 12 % left")
	r.wasTold()
	r.waitMenu(r.tight(quotaPlan))
	r.status("", 0)
	after(r)
	r.recovers(false)
	r.hasLostNothing()
}
