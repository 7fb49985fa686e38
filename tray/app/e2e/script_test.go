package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"windsock/chat/touched"
	"windsock/probe/probetest"
	"windsock/probe/simulator"
	"windsock/probe/simulator/agent"
	"windsock/probe/simulator/simtest"
	"windsock/usage/history"
)

// TestScripts runs testdata/script: real windsock processes against real
// simulator processes, in a home directory of their own.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       probetest.Update(),
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			runtimeDir := filepath.Join(env.WorkDir, "run")
			env.Setenv("HOME", home)
			env.Setenv("XDG_RUNTIME_DIR", runtimeDir)
			env.Setenv("TZ", "UTC")
			env.Setenv(pidsFile, filepath.Join(env.WorkDir, "pids"))
			env.Values[editorsKey{}] = &editors{servers: map[string]*simulator.Process{}}
			for _, dir := range []string{home, runtimeDir} {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"server":     cmdServer,
			"agy":        cmdAgy,
			"end":        cmdEnd((*simulator.Process).Stop),
			"crash":      cmdEnd((*simulator.Process).Kill),
			"signin":     cmdSignIn,
			"seen":       cmdSeen,
			"calls":      cmdCalls,
			"images":     cmdImages,
			"code":       cmdCode,
			"empty":      cmdEmpty,
			"owed":       cmdOwed,
			"unreadable": cmdUnreadable,
		},
	})
}

// editors are a script's set-up: servers, by their names in the script, and the keys
// of the signed-in accounts.
type editors struct {
	servers map[string]*simulator.Process
	keys    []string
}

type editorsKey struct{}

func editorsOf(ts *testscript.TestScript) *editors {
	return ts.Value(editorsKey{}).(*editors)
}

// writePIDs tells windsock which processes are the script's.
func (e *editors) writePIDs(ts *testscript.TestScript) {
	var pids []string
	for _, p := range e.servers {
		for _, pid := range p.PIDs() {
			pids = append(pids, fmt.Sprint(pid))
		}
	}
	ts.Check(os.WriteFile(ts.Getenv(pidsFile), []byte(strings.Join(pids, " ")), 0o600))
}

// cmdServer starts a server: server NAME [flags].
func cmdServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: server NAME [flags]")
	}
	var o simulator.Options
	var token string
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.StringVar(&o.IDEName, "ide", "windsurf", "")
	flags.StringVar(&o.App, "app", "", "")
	flags.StringVar(&token, "token", "env", "")
	flags.BoolVar(&o.Equals, "equals", false, "")
	flags.BoolVar(&o.RunChild, "child", false, "")
	flags.StringVar((*string)(&o.Config.Antigravity), "antigravity", "", "")
	flags.StringVar(&o.Config.Scenario, "scenario", "", "")
	flags.StringVar((*string)(&o.Config.Account), "account", "", "")
	flags.StringVar((*string)(&o.Config.Fault), "fault", "", "")
	flags.DurationVar(&o.Config.SlowStart, "slow", 0, "")
	flags.BoolVar(&o.Config.TLS, "tls", false, "")
	flags.StringVar((*string)(&o.Config.Release), "release", "", "")
	flags.StringVar((*string)(&o.Config.Cascade.Retired), "retired", "", "")
	flags.StringVar((*string)(&o.Config.Cascade.RateLimit), "limit", "", "")
	flags.StringVar(&o.Config.Cascade.Turn, "turn", "", "")
	flags.IntVar(&o.Config.Cascade.Old, "old", 0, "")
	flags.DurationVar(&o.Config.Cascade.Idle, "idle", 50*time.Millisecond, "")
	flags.DurationVar(&o.Config.Cascade.Tick, "tick", 5*time.Millisecond, "")
	flags.Func("missing", "", func(method string) error {
		o.Config.Cascade.Missing = append(o.Config.Cascade.Missing, method)
		return nil
	})
	// The faults of an agent, and its turn; empty for one that does all right.
	flags.Func("agent", "", func(words string) error {
		o.Agent = &agent.Behaviour{Tick: time.Millisecond}
		for word := range strings.FieldsFuncSeq(words, func(r rune) bool { return r == ',' }) {
			if turn, ok := strings.CutPrefix(word, "turn:"); ok {
				o.Agent.Turn = turn
			} else {
				o.Agent.Faults = append(o.Agent.Faults, agent.Fault(word))
			}
		}
		return nil
	})
	flags.Func("refuse", "", func(key string) error {
		o.Config.RefusedKeys = append(o.Config.RefusedKeys, key)
		return nil
	})
	ts.Check(flags.Parse(args[1:]))
	o.Token = map[string]simulator.TokenStyle{
		"env": simulator.TokenEnv, "flag": simulator.TokenFlag, "none": simulator.TokenNone,
	}[token]
	o.Root, o.Home = ts.MkAbs("root"), ts.Getenv("HOME")
	ts.Check(os.MkdirAll(o.Root, 0o700))
	p, err := simulator.Start(context.Background(), o)
	ts.Check(err)
	ts.Defer(func() { _ = p.Stop() })
	e := editorsOf(ts)
	e.servers[args[0]] = p
	e.writePIDs(ts)
}

// cmdAgy installs Antigravity's command line, or changes its behaviour: agy DIRECTORY
// [flags].
func cmdAgy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: agy DIRECTORY [flags]")
	}
	var a simulator.Agy
	flags := flag.NewFlagSet("agy", flag.ContinueOnError)
	flags.StringVar(&a.Scenario, "scenario", "", "")
	flags.StringVar((*string)(&a.Account), "account", "", "")
	flags.StringVar(&a.Notice, "notice", "", "")
	flags.StringVar(&a.Failure, "failure", "", "")
	flags.DurationVar(&a.Delay, "delay", 0, "")
	flags.BoolVar(&a.Endless, "endless", false, "")
	ts.Check(flags.Parse(args[1:]))
	_, err := simulator.InstallAgy("", ts.MkAbs(args[0]), a)
	ts.Check(err)
}

// cmdEnd ends a server: end NAME, or crash NAME. It stays in the list of the
// script's processes, as in a list that is out of date. A command stop would never
// run: testscript has one of its own, which ends the script.
func cmdEnd(end func(*simulator.Process) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: end NAME or crash NAME")
		}
		ts.Check(end(editorsOf(ts).servers[args[0]]))
	}
}

// cmdSignIn writes a state.vscdb: signin DIRECTORY KEY [SCENARIO]. With a scenario,
// the editor has stored its server's last answer.
func cmdSignIn(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: signin DIRECTORY KEY [SCENARIO]")
	}
	dir := filepath.Join(ts.Getenv("HOME"), ".config", args[0])
	auth := simtest.Auth{Key: args[1]}
	if len(args) == 3 {
		auth.Scenario = args[2]
	}
	ts.Check(simtest.SignIn(dir, auth))
	e := editorsOf(ts)
	e.keys = append(e.keys, args[1])
}

// cmdSeen checks whether a key has come to a server: [!] seen NAME KEY.
func cmdSeen(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] seen NAME KEY")
	}
	keys := editorsOf(ts).servers[args[0]].Keys()
	if slices.Contains(keys, args[1]) == neg {
		ts.Fatalf("keys that came to %s: %q", args[0], keys)
	}
}

// cmdCalls checks how often a method was called, and that no call had anything in
// it that it must not: calls NAME METHOD N.
func cmdCalls(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: calls NAME METHOD N")
	}
	p := editorsOf(ts).servers[args[0]]
	if got := p.Count()[args[1]]; fmt.Sprint(got) != args[2] {
		ts.Fatalf("%s was called %d times: %v", args[1], got, p.Count())
	}
	if wrong := p.Violations(); len(wrong) > 0 {
		ts.Fatalf("calls: %q", wrong)
	}
}

// cmdImages fails unless a server's prompts had as many images: images NAME N...
func cmdImages(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: images NAME N...")
	}
	var images []string
	p := editorsOf(ts).servers[args[0]]
	for _, call := range p.Calls() {
		if call.RPC == "SendUserCascadeMessage" {
			images = append(images, fmt.Sprint(call.Images))
		}
	}
	if !slices.Equal(images, args[1:]) {
		ts.Fatalf("the prompts had %s images", images)
	}
	if wrong := p.Violations(); len(wrong) > 0 {
		ts.Fatalf("images: %q", wrong)
	}
}

// cmdUnreadable breaks a cascade, so that its steps cannot be read: unreadable NAME.
func cmdUnreadable(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unreadable NAME")
	}
	server := editorsOf(ts).servers[args[0]]
	steps, err := server.Spent(context.Background())
	ts.Check(err)
	ts.Check(server.Break(context.Background(), steps[0].Cascade, true))
}

// cmdOwed fails unless nothing waits to be archived: owed nothing.
func cmdOwed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || args[0] != "nothing" {
		ts.Fatalf("usage: owed nothing")
	}
	all, err := waiting(context.Background(), ts.MkAbs("home/.local/state/windsock"))
	ts.Check(err)
	if len(all) > 0 {
		ts.Fatalf("owed: %v", all)
	}
}

// waiting are the cascades that are still to be archived.
func waiting(ctx context.Context, stateDir string) (all []touched.Waiting, err error) {
	store := history.New(history.Config{Path: filepath.Join(stateDir, "history.db")})
	defer func() { err = errors.Join(err, store.Close()) }() //nolint:contextcheck // the store bounds it by itself
	return touched.New(store, stateDir, time.Now).Waiting(ctx)
}

// maxRun is how soon every fault has to end in an error. A command bounds itself by
// half of it; on a machine that does much else the rest of it takes its time. Five
// servers that hang, one after the other, would take longer.
const maxRun = 30 * time.Second

// cmdCode runs a program that has to end with a code, in good time: code N PROGRAM
// ARGS. Its output is checked as after exec.
func cmdCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N PROGRAM [ARGS]")
	}
	started := time.Now()
	err := ts.Exec(args[1], args[2:]...)
	if took := time.Since(started); took > maxRun {
		ts.Fatalf("took %v", took)
	}
	got := 0
	if coded, ok := err.(interface{ ExitCode() int }); ok {
		got = coded.ExitCode()
	} else {
		ts.Check(err)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
	told := ts.ReadFile("stdout") + ts.ReadFile("stderr")
	for _, word := range append(secretsOf(ts), "panic", "goroutine") {
		if strings.Contains(told, word) {
			ts.Fatalf("tells %q", word)
		}
	}
}

// secretsOf are the keys and tokens of a script.
func secretsOf(ts *testscript.TestScript) []string {
	e := editorsOf(ts)
	secrets := slices.Clone(e.keys)
	for _, p := range e.servers {
		secrets = append(secrets, p.Ready().Token)
	}
	return secrets
}

// cmdEmpty checks that a directory has nothing in it: empty DIRECTORY.
func cmdEmpty(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: empty DIRECTORY")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(entries) > 0 {
		ts.Fatalf("still there: %v", entries)
	}
}
