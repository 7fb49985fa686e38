package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
)

// desk is a person's home with an editor signed in, for commands alone.
type desk struct {
	t       *testing.T
	dir     string
	servers []*simulator.Process
	// ahead is how far its commands' clock is ahead: a cascade that may be about to run
	// is left alone for a while.
	ahead time.Duration
	// zone is its commands' time zone; "" is that of the tests.
	zone string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir()}
	for _, dir := range []string{"home", "run", "root"} {
		if err := os.Mkdir(filepath.Join(d.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := simtest.SignIn(filepath.Join(d.dir, "home", ".config", "Windsurf"), simtest.Auth{Key: deskKey}); err != nil {
		t.Fatal(err)
	}
	return d
}

const deskKey = "sk-ws-01-desk-key"

// serve starts a server beside the running ones.
func (d *desk) serve(c simulator.Config) *simulator.Process {
	d.t.Helper()
	return d.serveAs("windsurf", c)
}

// serveAs starts a server of a variant.
func (d *desk) serveAs(ideName string, c simulator.Config) *simulator.Process {
	d.t.Helper()
	c.Cascade.Idle, c.Cascade.Tick = 50*time.Millisecond, cmp.Or(c.Cascade.Tick, 5*time.Millisecond)
	p := simtest.Start(d.t, simulator.Options{
		Root: filepath.Join(d.dir, "root"), Home: filepath.Join(d.dir, "home"), IDEName: ideName, Config: c,
	})
	d.servers = append(d.servers, p)
	var pids []string
	for _, p := range d.servers {
		for _, pid := range p.PIDs() {
			pids = append(pids, fmt.Sprint(pid))
		}
	}
	replaceFile(d.t, filepath.Join(d.dir, "pids"), strings.Join(pids, " "))
	return p
}

// command is windsock, as testscript has put it into the path.
func (d *desk) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.CommandContext(d.t.Context(), "windsock", args...)
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(d.dir, "home"), "XDG_RUNTIME_DIR="+filepath.Join(d.dir, "run"),
		"XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "XDG_DATA_HOME=", pidsFile+"="+filepath.Join(d.dir, "pids"), testAhead+"="+d.ahead.String())
	if d.zone != "" {
		cmd.Env = append(cmd.Env, "TZ="+d.zone)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// run runs a command to its end and returns its code and all its output.
func (d *desk) run(args ...string) (int, string) {
	d.t.Helper()
	cmd, out := d.command(args...)
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		d.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// state is the path of a file that windsock keeps.
func (d *desk) state(name string) string {
	return filepath.Join(d.dir, "home", ".local", "state", "windsock", name)
}

// post calls a method by hand and returns the status.
func (d *desk) post(p *simulator.Process, method, body string) int {
	d.t.Helper()
	response, err := d.call(p, method, body)
	if err != nil {
		d.t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func (d *desk) call(p *simulator.Process, method, body string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost,
		p.URL()+"/exa.language_server_pb.LanguageServerService/"+method, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Codeium-Csrf-Token", p.Ready().Token)
	return http.DefaultClient.Do(request)
}

// live are the ids of the cascades that are not archived, by the server's word.
func (d *desk) live(p *simulator.Process) []string {
	d.t.Helper()
	response, err := d.call(p, "GetAllCascadeTrajectories", "{}")
	if err != nil {
		d.t.Fatal(err)
	}
	defer response.Body.Close()
	var listed struct {
		TrajectorySummaries map[string]struct{ IsArchived bool }
	}
	if err := json.NewDecoder(response.Body).Decode(&listed); err != nil {
		d.t.Fatal(err)
	}
	var ids []string
	for id, s := range listed.TrajectorySummaries {
		if !s.IsArchived {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// slowly is the tick of a server whose turn "slow" takes three seconds: long enough
// to be caught at it several times by a prompt, and by a test.
const slowly = 20 * time.Millisecond

// Wherever a prompt's process is killed, no cascade stays behind in the end.
func TestAskKilled(t *testing.T) {
	t.Parallel()
	for _, at := range []struct {
		method string
		times  int
	}{
		{"GetUserStatus", 1},
		{"CheckUserMessageRateLimit", 1},
		{"InitializeCascadePanelState", 1},
		{"StartCascade", 1},
		{"SendUserCascadeMessage", 1},
		{"GetCascadeTrajectorySteps", 1},
		{"GetCascadeTrajectorySteps", 5},
		{"GetCascadeTrajectory", 1},
		{"ArchiveCascadeTrajectory", 1},
	} {
		t.Run(fmt.Sprintf("%s_%d", at.method, at.times), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			p := d.serve(simulator.Config{Cascade: simulator.Cascade{Turn: "slow", Tick: slowly}})
			cmd, out := d.command("ask", "hello")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "the call", func() bool { return p.Count()[at.method] >= at.times })
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // how it ended is known
			t.Logf("before: %s", out)
			d.drain(p)
			if wrong := p.Violations(); len(wrong) > 0 {
				t.Error(wrong)
			}
		})
	}
}

// Ctrl-C cancels the turn, archives the cascade and ends with 130; the second one
// ends at once.
func TestAskInterrupted(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.serve(simulator.Config{})
	cmd, out := d.command("ask", "turn:never_ends")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the turn", func() bool { return p.Count()["GetCascadeTrajectorySteps"] > 3 })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the code says how
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, told %s", code, out)
	}
	calls := p.Count()
	if calls["CancelCascadeInvocation"] != 1 || calls["ArchiveCascadeTrajectory"] < 1 || len(d.live(p)) > 0 {
		t.Errorf("calls %v, left %v", calls, d.live(p))
	}

	if err := p.Set(t.Context(), "teams_credits", simulator.FaultNone); err != nil {
		t.Fatal(err)
	}
	stuck := d.serve(simulator.Config{Fault: simulator.FaultHang, FaultRPC: "ArchiveCascadeTrajectory"})
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	cmd, _ = d.command("ask", "turn:never_ends")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the turn", func() bool { return stuck.Count()["GetCascadeTrajectorySteps"] > 3 })
	_ = cmd.Process.Signal(os.Interrupt)
	waitFor(t, "the archiving", func() bool { return stuck.Count()["ArchiveCascadeTrajectory"] > 0 })
	_ = cmd.Process.Signal(os.Interrupt)
	second := time.Now()
	_ = cmd.Wait() // the state says how
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	// By itself it would end five seconds after it began to archive, with a code.
	if !status.Signaled() || status.Signal() != syscall.SIGINT || time.Since(second) > 4*time.Second {
		t.Errorf("ended by %v after %v", cmd.ProcessState, time.Since(second))
	}
}

// A restart of the editor during an answer is reported, nothing is sent twice, and the
// cascade is still archived.
func TestAskThroughARestart(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	old := d.serve(simulator.Config{})
	cmd, out := d.command("ask", "turn:never_ends")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the turn", func() bool { return old.Count()["GetCascadeTrajectorySteps"] > 3 })
	if err := old.Kill(); err != nil {
		t.Fatal(err)
	}
	next := d.serve(simulator.Config{})
	_ = cmd.Wait() // the code says how
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(out.String(), "ended before the answer did") {
		t.Errorf("exit code %d, told %s", code, out)
	}
	asked := 1 + d.drain(next)
	if n := old.Count()["SendUserCascadeMessage"] + next.Count()["SendUserCascadeMessage"]; n != asked {
		t.Errorf("%d messages sent, want one each of %d", n, asked)
	}
}

// drain asks until nothing is left behind, and returns how often. What an answer
// does not take long enough for is left to the next one.
func (d *desk) drain(p *simulator.Process) (asked int) {
	d.t.Helper()
	d.ahead = time.Minute
	waitFor(d.t, "the end of what is left behind", func() bool {
		asked++
		if code, told := d.run("ask", "turn:echo"); code != 0 {
			d.t.Fatal(told)
		}
		return len(d.live(p)) == 0
	})
	return asked
}

// A connection that breaks right after the message was taken leaves one message at
// the server, and so does one that breaks after the start.
func TestAskSendsOnce(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"StartCascade", "SendUserCascadeMessage"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			p := d.serve(simulator.Config{Fault: simulator.FaultResetAfter, FaultRPC: method})
			if code, told := d.run("ask", "hello"); code != 1 {
				t.Errorf("exit code %d, told %s", code, told)
			}
			if n := p.Count()[method]; n != 1 {
				t.Errorf("%s was called %d times", method, n)
			}
			if err := p.Set(t.Context(), "teams_credits", simulator.FaultNone); err != nil {
				t.Fatal(err)
			}
			d.drain(p)
		})
	}
}

// Twenty prompts at once, each in a process of its own: each has its own answer,
// and nothing is left.
func TestAskTwentyAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.serve(simulator.Config{Cascade: simulator.Cascade{Turn: "echo"}})
	var asking sync.WaitGroup
	for i := range 20 {
		asking.Go(func() {
			want := fmt.Sprintf("prompt number %d", i)
			if code, told := d.run("ask", want); code != 0 || strings.TrimSpace(told) != want {
				t.Errorf("exit code %d, told %q, want %q", code, told, want)
			}
		})
	}
	asking.Wait()
	if left := d.live(p); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if n := p.Count()["SendUserCascadeMessage"]; n != 20 {
		t.Errorf("%d messages", n)
	}
}

// A reader that leaves, as head does, ends the turn and not only the process.
func TestAskReaderLeaves(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.serve(simulator.Config{Cascade: simulator.Cascade{Tick: slowly}})
	cmd, out := d.command("ask", "--stream", "turn:slow")
	cmd.Stdout = nil
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdout.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
	_ = stdout.Close()
	_ = cmd.Wait() // the calls say what became of it
	if calls := p.Count(); calls["CancelCascadeInvocation"] != 1 || len(d.live(p)) > 0 || out.Len() > 0 {
		t.Errorf("calls %v, left %v, told %s", calls, d.live(p), out)
	}
}

// A conversation that a person has taken over is theirs.
func TestDrainLeavesWhatAPersonWentOnWith(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.serve(simulator.Config{Cascade: simulator.Cascade{Turn: "slow", Tick: slowly}})
	cmd, _ := d.command("ask", "hello")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the turn", func() bool { return p.Count()["GetCascadeTrajectorySteps"] > 3 })
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	left := d.live(p)
	if len(left) != 1 {
		t.Fatalf("left behind: %v", left)
	}
	waitFor(t, "a second message", func() bool {
		return d.post(p, "SendUserCascadeMessage", fmt.Sprintf(
			`{"cascadeId":%q,"items":[{"text":"turn:echo mine"}],"metadata":{"apiKey":%q,"requestId":"99999999999999"},"cascadeConfig":{"plannerConfig":{"conversational":{},"requestedModelUid":"swe-1-6"}}}`,
			left[0], deskKey)) == http.StatusOK
	})
	waitFor(t, "its answer", func() bool {
		response, err := d.call(p, "GetCascadeTranscriptForTrajectoryId", fmt.Sprintf(`{"cascadeId":%q}`, left[0]))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		transcript, err := io.ReadAll(response.Body)
		return err == nil && strings.Count(string(transcript), "- User ===") == 2
	})
	d.ahead = time.Minute
	waitFor(t, "the queue to let go of it", func() bool {
		if code, told := d.run("ask", "turn:echo"); code != 0 {
			t.Fatal(told)
		}
		queue, err := waiting(t.Context(), filepath.Dir(d.state("history.db")))
		return err == nil && len(queue) == 0
	})
	if now := d.live(p); !slices.Equal(now, left) {
		t.Errorf("not archived are %v, want %v", now, left)
	}
}

// A cascade that runs in one window's server is not archived through another's.
func TestCleanLeavesWhatRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	b := d.serve(simulator.Config{})
	cmd, _ := d.command("ask", "turn:never_ends")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	waitFor(t, "the turn", func() bool { return b.Count()["GetCascadeTrajectorySteps"] > 3 })
	running := d.live(b)
	a := d.serve(simulator.Config{}) // the newer one is asked first
	if known := d.live(a); !slices.Equal(known, running) {
		t.Fatalf("the second window knows %v, want %v", known, running)
	}
	code, told := d.run("clean", "--yes", "--older-than", "0", "--keep", "0")
	if code != 0 || !strings.Contains(told, "1 running") {
		t.Errorf("exit code %d, told %s", code, told)
	}
	if n := a.Count()["ArchiveCascadeTrajectory"] + b.Count()["ArchiveCascadeTrajectory"]; n != 0 {
		t.Errorf("%d cascades archived", n)
	}

	// A window that does not answer might run anything.
	_ = syscall.Kill(a.Ready().PID, syscall.SIGSTOP)
	code, told = d.run("clean", "--yes", "--older-than", "0", "--keep", "0")
	_ = syscall.Kill(a.Ready().PID, syscall.SIGCONT)
	if code == 0 || b.Count()["ArchiveCascadeTrajectory"] != 0 {
		t.Errorf("exit code %d, told %s", code, told)
	}
}

// The next undo puts back what a killed run of clean has archived, or may have.
func TestCleanKilled(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.serve(simulator.Config{
		Delay: 200 * time.Millisecond, DelayRPC: "ArchiveCascadeTrajectory", Cascade: simulator.Cascade{Old: 60},
	})
	before := d.live(p)
	cmd, _ := d.command("clean", "--yes")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "some cascades to be archived", func() bool { return len(d.live(p)) < len(before)-4 })
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	d.ahead = time.Minute
	if code, told := d.run("clean", "--undo", "--yes"); code != 0 {
		t.Errorf("exit code %d, told %s", code, told)
	}
	if now := d.live(p); !slices.Equal(now, before) {
		t.Errorf("%d cascades are live, want %d", len(now), len(before))
	}
}
