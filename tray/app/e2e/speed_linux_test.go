package e2e

import (
	"bytes"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "windsock/probe/languageserver"
	"windsock/probe/probetest"
	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
)

// A person's waiting times, for windsock as it is built for people.
// packaging/budgets.sh runs these. A machine's own speed is no budget, so other ways
// to the same answer are measured in the same turn.

const (
	speedKey    = "sk-ws-01-speed"
	speedToken  = "00000000-0000-4000-8000-00000000feed"
	tokenHeader = "X-Codeium-Csrf-Token"
)

// A place is a home in which somebody has signed in, with a server that passes for an
// editor's own.
type place struct {
	home   string
	server *simulator.Process
	// cold are files that each run has to read from the disk.
	cold []string
}

func newPlace(b *testing.B, c simulator.Config) *place {
	b.Helper()
	d := &place{home: b.TempDir()}
	if err := simtest.SignIn(filepath.Join(d.home, ".config", "Windsurf"), simtest.Auth{Key: speedKey}); err != nil {
		b.Fatal(err)
	}
	d.start(b, c)
	b.Cleanup(func() { _ = d.server.Stop() })
	return d
}

func (d *place) start(b *testing.B, c simulator.Config) {
	b.Helper()
	c.Token = speedToken
	server, err := simulator.Start(b.Context(), simulator.Options{
		Root: d.home, Home: d.home, IDEName: "windsurf", Config: c,
		Env: []string{"WINDSOCK_SIMULATOR="}, // empty, it is a server that windsock takes for a real one
	})
	if err != nil {
		b.Fatal(err)
	}
	d.server = server
}

// run runs a command from its start to its end, which has to show that our server has
// answered. It tries again where another server on this machine, an editor's or a test's, has.
func (d *place) run(b *testing.B, shows string, environment []string, argv ...string) time.Duration {
	b.Helper()
	for tries := 3; ; tries-- {
		cmd := exec.CommandContext(b.Context(), argv[0], argv[1:]...)
		cmd.Env = append([]string{"HOME=" + d.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + d.home, "LANG=C.UTF-8"}, environment...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		d.chill(b)
		begin := time.Now()
		err := cmd.Run()
		took := time.Since(begin)
		if err == nil && strings.Contains(stdout.String(), shows) {
			return took
		}
		if tries == 1 {
			b.Fatalf("%q: %v\n%s%s", argv, err, stdout.Bytes(), stderr.Bytes())
		}
	}
}

// BenchmarkStatus requests the plan by turns: by a `windsock status`, by a bare curl
// with the known port and token, by a script that finds them with ps, lsof and sqlite3,
// and by a `windsock status` that looks for no other product. The server takes 10 ms, and
// 300 other processes are running.
func BenchmarkStatus(b *testing.B) { benchmarkStatus(b, 300, false) }

// BenchmarkStatusCrowd is BenchmarkStatus among 5,000 processes.
func BenchmarkStatusCrowd(b *testing.B) { benchmarkStatus(b, 5000, false) }

// BenchmarkStatusCold is BenchmarkStatus where all programs, their libraries and the
// editor's database are read from the disk, but for what other processes have mapped.
func BenchmarkStatusCold(b *testing.B) { benchmarkStatus(b, 300, true) }

func benchmarkStatus(b *testing.B, others int, cold bool) {
	b.Helper()
	probetest.NeedTools(b, "curl", "lsof", "ps", "sqlite3")
	pipeline, err := os.ReadFile("../../../packaging/pipeline.sh")
	if err != nil {
		b.Fatal(err)
	}
	program := shipped(b)
	d := newPlace(b, simulator.Config{Delay: 10 * time.Millisecond, DelayRPC: "GetUserStatus"})
	probetest.Bystanders(b, others)
	pid := strconv.Itoa(d.server.Ready().PID)
	request := filepath.Join(d.home, "request.json")
	body, err := protojson.Marshal(&pb.GetUserStatusRequest{Metadata: &pb.Metadata{ // with everything that windsock sends
		IdeName: "windsurf", IdeVersion: "1.0.0", IdeType: "desktop", ExtensionName: "windsurf", ExtensionVersion: "1.0.0",
		ExtensionPath: "/usr/share/windsurf/resources/app/extensions/windsurf", ApiKey: speedKey, Locale: "en", Os: "linux", Hardware: "amd64",
		RequestId: 1, SessionId: uuid.NewString(), LsTimestamp: timestamppb.Now(), TriggerId: uuid.NewString(), PlanName: "Unset",
	}})
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(request, body, 0o600); err != nil {
		b.Fatal(err)
	}
	database := filepath.Join(d.home, ".config/Windsurf/User/globalStorage/state.vscdb")
	if cold {
		d.cold = append(filesOf(b, "curl", "sh", "ps", "awk", "tr", "sed", "lsof", "sqlite3"), program, database, request)
	}
	const method = pb.LanguageServerServiceGetUserStatusProcedure
	turn := func() (took [4]float64) {
		for i, way := range []func() time.Duration{
			func() time.Duration { return d.run(b, `"pid": `+pid, nil, program, "status", "--json") },
			func() time.Duration {
				return d.run(b, `"planInfo"`, nil, "curl", "-sS", "--http1.1", "-H", "Content-Type: application/json",
					"-H", tokenHeader+": "+speedToken, "-d", "@"+request, d.server.URL()+method)
			},
			func() time.Duration {
				return d.run(b, `"planInfo"`, []string{
					"DATABASE=" + database, "REQUEST=" + request, "KEY=" + speedKey, "METHOD=" + method, "WANTED=" + pid,
				}, "sh", "-c", string(pipeline))
			},
			func() time.Duration {
				return d.run(b, `"pid": `+pid, nil, program, "status", "--json", "--product", "windsurf")
			},
		} {
			took[i] = float64(way())
		}
		return took
	}
	turn()
	var took, besideCurl, besidePipeline, absent []float64
	for b.Loop() {
		t := turn()
		took, besideCurl, besidePipeline = append(took, t[0]/1e6), append(besideCurl, t[0]/t[1]), append(besidePipeline, t[0]/t[2])
		absent = append(absent, (t[0]-t[3])/1e6)
	}
	info, err := os.Stat(program)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(medianOf(took), "ms")
	b.ReportMetric(medianOf(besideCurl), "×curl")
	b.ReportMetric(medianOf(besidePipeline), "×pipeline")
	b.ReportMetric(medianOf(absent), "ms-absent")
	b.ReportMetric(float64(info.Size())/1e6, "MB")
}

// BenchmarkStatusPlans requests three plans, of two accounts of Windsurf and of
// Antigravity, and by turns one of them. Each server takes 10 ms.
func BenchmarkStatusPlans(b *testing.B) {
	program := shipped(b)
	slow := simulator.Config{Delay: 10 * time.Millisecond, DelayRPC: "GetUserStatus"}
	d := newPlace(b, slow)
	if err := simtest.SignIn(filepath.Join(d.home, ".config", "Windsurf - Next"), simtest.Auth{Key: speedKey + "-next"}); err != nil {
		b.Fatal(err)
	}
	probetest.Bystanders(b, 300)
	for _, o := range []simulator.Options{
		{IDEName: "windsurf-next", App: "usr/share/windsurf-next", Config: simulator.Config{Account: "sam"}},
		{Config: simulator.Config{Antigravity: simulator.AntigravityApp}},
	} {
		o.Root, o.Home, o.Env = d.home, d.home, []string{"WINDSOCK_SIMULATOR="}
		o.Config.Delay, o.Config.DelayRPC = slow.Delay, slow.DelayRPC
		server, err := simulator.Start(b.Context(), o)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = server.Stop() })
	}
	turn := func() (one, all float64) {
		one = float64(d.run(b, `"account"`, nil, program, "status", "--json", "--variant", "windsurf"))
		all = float64(d.run(b, `"antigravity"`, nil, program, "status", "--json"))
		return one / 1e6, all / 1e6
	}
	turn()
	var one, all, more []float64
	for b.Loop() {
		o, a := turn()
		one, all, more = append(one, o), append(all, a), append(more, a-o)
	}
	b.ReportMetric(medianOf(one), "ms-one")
	b.ReportMetric(medianOf(all), "ms-three")
	b.ReportMetric(medianOf(more), "ms-more")
}

// BenchmarkStatusLine runs what agy waits for at each change of its state, and beside it
// the least that windsock does.
func BenchmarkStatusLine(b *testing.B) {
	program, home := shipped(b), b.TempDir()
	run := func(args ...string) float64 {
		cmd := exec.CommandContext(b.Context(), program, args...)
		cmd.Env, cmd.Stdin = []string{"HOME=" + home}, strings.NewReader(`{"quota":{"gemini-5h":{"remaining_fraction":0.5}}}`)
		begin := time.Now()
		if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), "Gemini") && !strings.Contains(string(out), "windsock") {
			b.Fatalf("%q: %s, %v", args, out, err)
		}
		return float64(time.Since(begin)) / 1e6
	}
	run("version")
	var took, least []float64
	for b.Loop() {
		took, least = append(took, run("antigravity", "status-line")), append(least, run("version"))
	}
	b.ReportMetric(medianOf(took), "ms")
	b.ReportMetric(medianOf(least), "ms-version")
}

// BenchmarkClean plans the cleaning of 10,000 cascades, each with a file.
func BenchmarkClean(b *testing.B) {
	program := shipped(b)
	d := newPlace(b, simulator.Config{Cascade: simulator.Cascade{PanelReady: true, Old: 10_000, FileSize: 4096}})
	plan := func() time.Duration { return d.run(b, `"dry_run": true`, nil, program, "clean", "--dry-run", "--json") }
	plan()
	var took []float64
	for b.Loop() {
		took = append(took, float64(plan())/1e6)
	}
	if d.server.Count()["GetAllCascadeTrajectories"] < len(took) {
		b.Fatal("another server was asked")
	}
	b.ReportMetric(medianOf(took), "ms")
}

// BenchmarkFirstText takes the time from when the server has the first text of an
// answer until it comes out of the pipe that `windsock ask --stream` writes to.
//
// When the server has it follows from the server's own words: it dates each message
// when it takes it, and its turn has text a fixed time after that. Windsock's polls
// follow the message in a steady rhythm, at most 80 ms apart, so each turn has a
// server whose cascades are idle for a little longer: the text comes at all moments
// between two polls.
func BenchmarkFirstText(b *testing.B) {
	program := shipped(b)
	const (
		tick = 40 * time.Millisecond // three of them are before the first text: the tools, the prompt, the beginning
		idle = 600 * time.Millisecond
		poll = 80 * time.Millisecond
	)
	var took []float64
	for turn := 0; b.Loop(); turn++ {
		idle := idle + time.Duration(math.Mod(float64(turn)*0.618, 1)*float64(poll))
		d := newPlace(b, simulator.Config{Cascade: simulator.Cascade{PanelReady: true, Idle: idle, Tick: tick}})
		cmd := exec.CommandContext(b.Context(), program, "ask", "--stream", "turn:plain")
		cmd.Env = []string{"HOME=" + d.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + d.home, "LANG=C.UTF-8"}
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		_, err = io.ReadFull(out, make([]byte, 1))
		came := time.Now()
		_, _ = io.Copy(io.Discard, out)
		if werr := cmd.Wait(); err != nil || werr != nil {
			b.Fatal(err, werr)
		}
		took = append(took, float64(came.Sub(d.lastMessage(b).Add(idle+3*tick)))/1e6)
		_ = d.server.Stop()
	}
	b.ReportMetric(medianOf(took), "ms")
}

// lastMessage is when the server took the last message.
func (d *place) lastMessage(b *testing.B) (last time.Time) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost,
		d.server.URL()+pb.LanguageServerServiceGetAllCascadeTrajectoriesProcedure, strings.NewReader("{}"))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(tokenHeader, speedToken)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	var listed pb.GetAllCascadeTrajectoriesResponse
	if err := protojson.Unmarshal(body, &listed); err != nil {
		b.Fatal(err)
	}
	for _, s := range listed.GetTrajectorySummaries() {
		if at := s.GetLastUserInputTime(); at != nil && at.AsTime().After(last) {
			last = at.AsTime()
		}
	}
	if last.IsZero() {
		b.Fatal("another server was asked")
	}
	return last
}

// chill drops the cold files from the page cache, but for pages that a process has
// mapped.
func (d *place) chill(b *testing.B) {
	b.Helper()
	for _, name := range d.cold {
		file, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		err = errors.Join(file.Sync(), unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED), file.Close())
		if err != nil {
			b.Fatal(err)
		}
	}
}

// filesOf are the files of programs and of the libraries that they are linked with.
func filesOf(b *testing.B, programs ...string) (files []string) {
	b.Helper()
	for _, name := range programs {
		path, err := exec.LookPath(name)
		if err != nil {
			b.Fatal(err)
		}
		libraries, err := exec.CommandContext(b.Context(), "ldd", path).Output()
		if err != nil {
			b.Fatal(name, err)
		}
		files = append(files, path)
		for word := range strings.FieldsSeq(string(libraries)) {
			if filepath.IsAbs(word) && !slices.Contains(files, word) {
				files = append(files, word)
			}
		}
	}
	return files
}

func medianOf(figures []float64) float64 {
	slices.Sort(figures)
	return (figures[(len(figures)-1)/2] + figures[len(figures)/2]) / 2
}
