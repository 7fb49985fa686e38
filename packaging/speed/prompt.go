package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"windsock/probe/languageserver"
	"windsock/probe/simulator"
)

const (
	// tick is that of the turns whose first text is waited for, which is there after
	// so many of them: the tools, the prompt, the beginning of the answer.
	tick        = 40 * time.Millisecond
	ticksBefore = 3
	// idle is how long a cascade is seen to stay idle (PROTOCOL.md 7.4), and longest
	// what Windsock waits between two polls at most.
	idle    = 600 * time.Millisecond
	longest = 80 * time.Millisecond
)

// firstText measures the time from when the server has the first text of an
// answer until it comes out of the pipe that `windsock ask --stream` writes to.
//
// When the server has it follows from the server's own words: it dates each message
// when it takes it (lastUserInputTime), by the clock that this program reads too, and
// its turn has text a fixed time after that. Windsock's polls follow the message in a
// steady rhythm, so each turn has a server whose cascades are idle for a little longer:
// the text comes at all moments between two polls.
func firstText(ctx context.Context, at place, turns int, r *report) error {
	var waits []time.Duration
	for turn := range turns {
		wait, err := at.firstText(ctx, idle+longest*time.Duration(turn)/time.Duration(turns))
		if err != nil {
			return fmt.Errorf("wait for first text: %w", err)
		}
		waits = append(waits, wait)
	}
	r.times("first text of an answer, after the server has it", waits, 100)
	return nil
}

func (p place) firstText(ctx context.Context, idle time.Duration) (wait time.Duration, err error) {
	server, err := p.start(ctx, simulator.Config{Cascade: simulator.Cascade{PanelReady: true, Idle: idle, Tick: tick}})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	asked, err := p.ask(ctx, "turn:plain")
	if err != nil {
		return 0, err
	}
	sent, err := lastMessage(ctx, server)
	if err != nil {
		return 0, err
	}
	return asked.first.Sub(sent.Add(idle + ticksBefore*tick)), nil
}

// asked is what became of a prompt.
type asked struct {
	first time.Time     // when the first text came
	took  time.Duration // from that to the end of the process
	cpu   time.Duration // of the process
}

func (p place) ask(ctx context.Context, prompt string) (asked, error) {
	cmd := exec.CommandContext(ctx, p.program, "ask", "--stream", prompt)
	cmd.Env = p.env()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return asked{}, fmt.Errorf("ask: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return asked{}, fmt.Errorf("ask: %w", err)
	}
	_, first := io.ReadFull(out, make([]byte, 1))
	came := time.Now()
	_, rest := io.Copy(io.Discard, out)
	if err := errors.Join(cmd.Wait(), first, rest); err != nil {
		return asked{}, fmt.Errorf("ask: %w\n%s", err, stderr.Bytes())
	}
	return asked{came, time.Since(came), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

// lastMessage is when the server took the last message.
func lastMessage(ctx context.Context, server *simulator.Process) (time.Time, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		server.URL()+languageserver.LanguageServerServiceGetAllCascadeTrajectoriesProcedure, strings.NewReader("{}"))
	if err != nil {
		return time.Time{}, fmt.Errorf("list cascades: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(tokenHeader, token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return time.Time{}, fmt.Errorf("list cascades: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return time.Time{}, fmt.Errorf("list cascades: %w", err)
	}
	var listed languageserver.GetAllCascadeTrajectoriesResponse
	if err := protojson.Unmarshal(body, &listed); err != nil {
		return time.Time{}, fmt.Errorf("list cascades: %w", err)
	}
	var last time.Time
	for _, s := range listed.GetTrajectorySummaries() {
		if at := s.GetLastUserInputTime(); at != nil && at.AsTime().After(last) {
			last = at.AsTime()
		}
	}
	if last.IsZero() {
		return last, errors.New("list cascades: another server was asked")
	}
	return last, nil
}

// longAnswer counts what an answer of ten seconds costs the server in requests, by
// method, and this machine in time of the CPU. Of that, the start of the process and
// its search for the server are a part.
func longAnswer(ctx context.Context, at place, _ int, r *report) (err error) {
	// The slow turn is six words, and 25 ticks after each.
	server, err := at.start(ctx, simulator.Config{Cascade: simulator.Cascade{PanelReady: true, Tick: 10 * time.Second / (6 * 25)}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	got, err := at.ask(ctx, "turn:slow")
	if err != nil {
		return fmt.Errorf("ask at length: %w", err)
	}
	calls := server.Count() //nolint:contextcheck // it takes none
	polls := calls["GetCascadeTrajectorySteps"]
	if polls == 0 {
		return errors.New("ask at length: another server was asked")
	}
	r.add("a long answer, from its first text to the end", "s", 0, got.took.Seconds())
	total := 0
	for _, method := range slices.Sorted(maps.Keys(calls)) {
		if method == "lsp" { // the probe of a port that is not the RPC port
			continue
		}
		total += calls[method]
		r.add("… "+method, "", 0, float64(calls[method]))
	}
	r.add("… requests in all", "", 0, float64(total))
	r.add("… CPU time of ask for each poll", "ms", 0, float64(got.cpu)/float64(time.Millisecond)/float64(polls))
	return nil
}
