package acp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/chat"
)

// actVariable says what the test binary does as an agent.
const actVariable = "WINDSOCK_TEST_AGENT"

func TestMain(m *testing.M) {
	if act := os.Getenv(actVariable); act != "" {
		playAgent(act)
		return
	}
	os.Exit(m.Run())
}

// playAgent is an agent as a program.
func playAgent(act string) {
	if act == "about" {
		playAbout()
		return
	}
	say := func(line string) { _, _ = fmt.Fprintln(os.Stdout, line) }
	text := func(words string) {
		say(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + words + `"}}}}`)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		m := gjson.Parse(lines.Text())
		result := func(json string) { say(`{"jsonrpc":"2.0","id":` + m.Get("id").Raw + `,"result":` + json + `}`) }
		switch m.Get("method").String() {
		case methodInitialize:
			result(`{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"delete":{}}}}`)
		case methodNew:
			result(`{"sessionId":"s"}`)
		case methodDelete:
			result(`{}`)
		case methodPrompt:
			switch act {
			case "tells": // where it is and what it has
				entries, err := os.ReadDir(".")
				text(fmt.Sprintf("args %d, files %d, %v", len(os.Args)-1, len(entries), err))
				_ = os.WriteFile("left-over", nil, 0o600)
				result(`{"stopReason":"end_turn"}`)
			case "hangs": // and whatever it has started, too
				signal.Ignore(syscall.SIGTERM)
				_ = exec.CommandContext(context.Background(), os.Args[0]).Start()
				text("begun")
				time.Sleep(time.Minute)
			case "acts":
				say(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","kind":"edit","status":"in_progress"}}}`)
				time.Sleep(time.Minute)
			}
		}
	}
	if act == "hangs" {
		time.Sleep(time.Minute)
	}
}

// playAbout answers like a program that is asked for its version or its login.
func playAbout() {
	switch strings.Join(os.Args[1:], " ") {
	case "--version":
		_, _ = fmt.Fprint(os.Stdout, "devin 3000.11.3\x1b[0m\nmore\n")
	case "auth status":
		_, _ = fmt.Fprint(os.Stdout, "signed in as anna@example.com\n")
	default:
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}
}

// realRig is an engine with a program.
type realRig struct {
	*Engine

	queue *queue
	dir   string
}

func newRealRig(t *testing.T, command ...string) *realRig {
	t.Helper()
	r := &realRig{queue: &queue{}, dir: t.TempDir()}
	r.Engine = New(EngineParts{
		Profile: Custom(command, []string{actVariable}), Dir: r.dir, Version: "1.2.3", Queue: r.queue, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(r.Close)
	return r
}

// empty waits until no directory of an agent is left, and no session is noted.
func (r *realRig) empty(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(time.Second); ; time.Sleep(10 * time.Millisecond) {
		entries, err := os.ReadDir(filepath.Join(r.dir, "agents"))
		if err != nil {
			t.Fatal(err)
		}
		entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() })
		if len(entries) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Errorf("left %v", entries)
			break
		}
	}
	if list, _ := r.queue.Waiting(t.Context()); len(list) > 0 {
		t.Errorf("still to be deleted: %v", list)
	}
}

// TestProgram: an agent as a program, from its start to the last trace of it.
func TestProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		act    string
		cancel bool // at the first text
		text   string
		code   chat.Code
		within time.Duration
		keeps  bool // the session cannot be deleted
	}{
		{act: "tells", text: "args 1, files 0, <nil>", within: chat.TidyTime},
		{act: "hangs", cancel: true, text: "begun", code: "cancelled", within: chat.TidyTime, keeps: true},
		{act: "acts", code: chat.AgentActs, within: chat.TidyTime, keeps: true},
	}
	for _, tt := range tests { // by a variable of this process
		t.Run(tt.act, func(t *testing.T) {
			t.Setenv(actVariable, tt.act)
			r := newRealRig(t, self, "an argument")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var left time.Time
			answer, err := r.Ask(ctx, hello, func(chat.Event) {
				if left = time.Now(); tt.cancel {
					cancel()
				}
			})
			took := time.Since(left)
			if got := (asked{err: err}).code(); answer.Text != tt.text || got != tt.code || took > tt.within {
				t.Errorf("%+v, %v after %v", answer, err, took)
			}
			if tt.keeps != (answer.Left == chat.LeftForNow) {
				t.Errorf("left %v", answer.Left)
			}
			if tt.keeps {
				r.queue.list = nil
			}
			r.Close()
			r.empty(t)
		})
	}
}

// TestAbout: the version and the login, without a session.
func TestAbout(t *testing.T) {
	t.Setenv(actVariable, "about")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		status []string
		want   About
	}{
		{"signed_in", []string{"auth", "status"}, About{Path: self, Version: "devin 3000.11.3", Status: self + " auth status", SignedIn: true}},
		{"signed_out", []string{"auth", "else"}, About{Path: self, Version: "devin 3000.11.3", Status: self + " auth else"}},
		{"not_known", nil, About{Path: self, Version: "devin 3000.11.3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRealRig(t, self)
			r.parts.Profile.status = tt.status
			got, err := r.About(t.Context())
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			r.empty(t)
		})
	}
}

// TestNoProgram: what is missing or speaks no protocol says so.
func TestNoProgram(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		command []string
		code    chat.Code
	}{
		{"missing", []string{filepath.Join(t.TempDir(), "agent")}, chat.AgentMissing},
		{"other_program", []string{"go", "version"}, chat.ServerGone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRealRig(t, tt.command...)
			_, err := r.Models(t.Context())
			f, _ := errors.AsType[*chat.Failure](err)
			if f == nil || f.Code != tt.code || strings.Contains(err.Error(), t.TempDir()) {
				t.Errorf("%v", err)
			}
		})
	}
}
