package simulator

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/probe/simulator/agent"
)

func TestAgentCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, program, line string
		b                   agent.Behaviour
		stdout              string
		code                int
	}{
		{name: "version", program: agent.Devin, line: "--version", stdout: "devin 3000.11.3 (simulated)\n"},
		{name: "signed_in", program: agent.Devin, line: "auth status", stdout: "Logged in (simulated)\n"},
		{name: "signed_out", program: agent.Devin, line: "auth status", b: agent.Behaviour{Faults: []agent.Fault{agent.SignedOut}}, stdout: "Not logged in\n", code: 1},
		{name: "unknown", program: agent.Devin, line: "login", code: 2},
		{name: "cursor_version", program: agent.Cursor, line: "--version", stdout: "2026.10.01-simulated\n"},
		{name: "cursor_unknown", program: agent.Cursor, line: "auth status", code: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			binary, err := InstallAgent("", t.TempDir(), tt.program, tt.b)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), binary, strings.Fields(tt.line)...)
			out, err := cmd.Output()
			if failed, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok || ok && failed.ExitCode() != tt.code || !ok && tt.code != 0 {
				t.Error(err)
			}
			if diff := cmp.Diff(tt.stdout, string(out)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			runs, err := agent.Runs(binary)
			if err != nil || len(runs) != 1 || strings.Join(runs[0].Args, " ") != tt.line {
				t.Errorf("runs %+v, %v", runs, err)
			}
		})
	}
}

func TestAgentBehaviour(t *testing.T) {
	t.Parallel()
	for _, b := range []agent.Behaviour{{Turn: "nonsense"}, {Faults: []agent.Fault{"nonsense"}}} {
		if _, err := InstallAgent("", t.TempDir(), agent.Devin, b); err == nil {
			t.Errorf("%+v is taken", b)
		}
	}
}

// talk is a conversation with an agent, line by line.
type talk struct {
	t      *testing.T
	binary string
	in     io.WriteCloser
	out    *bufio.Reader
	cmd    *exec.Cmd
}

func newTalk(t *testing.T, program string, b agent.Behaviour, args ...string) *talk {
	t.Helper()
	b.Tick = time.Millisecond
	binary, err := InstallAgent("", t.TempDir(), program, b)
	if err != nil {
		t.Fatal(err)
	}
	c := &talk{t: t, binary: binary, cmd: exec.CommandContext(t.Context(), binary, append(args, "acp")...)}
	c.cmd.Dir = t.TempDir()
	c.cmd.Env = append(os.Environ(), "CURSOR_CONFIG_DIR=")
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *talk) write(message string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, message+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// until reads to the line with that text, and returns all lines that it has read.
func (c *talk) until(text string) (lines []string) {
	c.t.Helper()
	for {
		line, err := c.out.ReadString('\n')
		if err != nil {
			c.t.Fatalf("%v before %s, after %q", err, text, lines)
		}
		lines = append(lines, line)
		if strings.Contains(line, text) {
			return lines
		}
	}
}

const helloAgent = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false},"clientInfo":{"name":"test","version":"1"}}}`

// newSession begins a session in a directory that is absolute on this system.
var newSession = `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":` + strconv.Quote(os.TempDir()) + `,"mcpServers":[]}}`

// session begins one and returns its id.
func (c *talk) session() string {
	c.t.Helper()
	c.write(helloAgent)
	c.until(`"id":1`)
	c.write(newSession)
	lines := c.until(`"id":2`)
	id := gjson.Get(lines[len(lines)-1], "result.sessionId").String()
	if id == "" {
		c.t.Fatalf("%q", lines)
	}
	return id
}

func (c *talk) prompt(session, text string) {
	c.t.Helper()
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}}`, session, text))
}

// end closes the input and returns what the agent has seen.
func (c *talk) end() agent.Run {
	c.t.Helper()
	c.in.Close()
	if err := c.cmd.Wait(); err != nil {
		c.t.Error(err)
	}
	runs, err := agent.Runs(c.binary)
	if err != nil || len(runs) != 1 {
		c.t.Fatalf("%+v, %v", runs, err)
	}
	return runs[0]
}

// answerOf joins the text of an answer's updates.
func answerOf(lines []string) string {
	var answer strings.Builder
	for _, line := range lines {
		update := gjson.Get(line, "params.update")
		if update.Get("sessionUpdate").String() == "agent_message_chunk" {
			answer.WriteString(update.Get("content.text").String())
		}
	}
	return answer.String()
}

// A turn from the start to the deletion of the session, which is on the disk meanwhile.
func TestAgentTurn(t *testing.T) {
	t.Parallel()
	c := newTalk(t, agent.Devin, agent.Behaviour{})
	id := c.session()
	c.prompt(id, "hello turn:echo")
	lines := c.until(`"stopReason":"end_turn"`)
	if got := answerOf(lines); got != "hello turn:echo" {
		t.Errorf("answer %q", got)
	}
	if text := strings.Join(lines, ""); !strings.Contains(text, `"cognition.ai/inputTokens":13602`) {
		t.Error(text)
	}
	if ids, err := agent.Sessions(c.binary); err != nil || !slices.Equal(ids, []string{id}) {
		t.Errorf("sessions %q, %v", ids, err)
	}
	for n, answer := range []string{`"id":4,"result":{}`, `"code":-32016`} { // the second time it is unknown
		c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/delete","params":{"sessionId":%q}}`, 4+n, id))
		c.until(answer)
	}
	if ids, err := agent.Sessions(c.binary); err != nil || ids != nil {
		t.Errorf("sessions %q, %v", ids, err)
	}
	run := c.end()
	want := []string{"initialize", "session/new", "session/prompt", "session/delete", "session/delete"}
	if diff := cmp.Diff(want, run.Methods); diff != "" || run.Wrong != nil {
		t.Errorf("violations %q, methods (-want +got):\n%s", run.Wrong, diff)
	}
}

// What an agent does with a tool: settings deny it, a client refuses it, a client
// allows it.
func TestAgentTool(t *testing.T) {
	t.Parallel()
	settings := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(settings, []byte(`{"permissions":{"deny":["Write(**)","exec"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, turn, outcome string
		args                []string
		answer              string
		acted               bool
	}{
		{name: "denied", turn: "asks", args: []string{"--config", settings}, answer: "My settings let me run no command."},
		{name: "refused", turn: "asks", outcome: `{"outcome":"selected","optionId":"no"}`, answer: "Then I do not run it."},
		{name: "cancelled", turn: "asks", outcome: `{"outcome":"cancelled"}`, answer: "Then I do not run it."},
		{name: "allowed", turn: "asks", outcome: `{"outcome":"selected","optionId":"yes"}`, answer: "I have run it.", acted: true},
		{name: "acts", turn: "acts", args: []string{"--config", settings}, answer: "I have run it.", acted: true},
		{name: "goes_on", turn: "goes_on", outcome: `{"outcome":"selected","optionId":"no"}`, answer: "I have done it all the same.", acted: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newTalk(t, agent.Devin, agent.Behaviour{Turn: tt.turn}, tt.args...)
			c.prompt(c.session(), "hello")
			var lines []string
			if tt.outcome != "" {
				lines = c.until("session/request_permission")
				c.write(`{"jsonrpc":"2.0","id":0,"result":{"outcome":` + tt.outcome + `}}`)
			}
			lines = append(lines, c.until(`"stopReason":"end_turn"`)...)
			if got := answerOf(lines); got != tt.answer {
				t.Errorf("answer %q", got)
			}
			_, err := os.Stat(filepath.Join(c.cmd.Dir, "acted"))
			if (err == nil) != tt.acted {
				t.Errorf("acted: %v", err)
			}
			c.end()
		})
	}
}

func TestAgentCancel(t *testing.T) {
	t.Parallel()
	c := newTalk(t, agent.Devin, agent.Behaviour{Turn: "hangs"})
	id := c.session()
	c.prompt(id, "hello")
	c.until(`"an"`)
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, id))
	c.until(`"id":3,"result":{"stopReason":"cancelled"}`)
	c.end()
}

// The faults that are seen on the wire.
func TestAgentFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fault   agent.Fault
		program string
		send    []string
		until   string
	}{
		{agent.StringIDs, agent.Devin, []string{helloAgent}, `"id":"1"`},
		{agent.Escapes, agent.Devin, []string{helloAgent}, "\x1b[32m" + `{"jsonrpc":"2.0","id":1`},
		{agent.Noise, agent.Devin, nil, "[debug] {not json}\n"},
		{agent.NewProtocol, agent.Devin, []string{helloAgent}, `"protocolVersion":2`},
		{agent.EarlyOptions, agent.Cursor, []string{helloAgent, newSession}, `"sessionUpdate":"config_option_update"`},
		{agent.SignedOut, agent.Cursor, []string{helloAgent, newSession}, `"code":-32000`},
		{agent.Daring, agent.Devin, []string{helloAgent, newSession}, `"currentValue":"bypass"`},
	} {
		t.Run(string(tt.fault), func(t *testing.T) {
			t.Parallel()
			c := newTalk(t, tt.program, agent.Behaviour{Faults: []agent.Fault{tt.fault}})
			for _, message := range tt.send {
				c.write(message)
			}
			c.until(tt.until)
			c.end()
		})
	}
}

// What a client does wrong is noted.
func TestAgentNotesViolations(t *testing.T) {
	t.Parallel()
	c := newTalk(t, agent.Devin, agent.Behaviour{})
	c.write("hello")
	c.write(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":2,"clientCapabilities":{"terminal":true}}}`)
	c.until(`"id":1`)
	c.write(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"."}}`)
	c.until(`"code":-32602`)
	c.prompt("unknown", "hello")
	c.until(`"code":-32602`)
	c.write(`{"jsonrpc":"2.0","id":4,"method":"authenticate"}`)
	c.until(`"code":-32601`)
	want := []string{
		"a line that is no message", "initialize without version 1", "the client offers tools", "the client does not say who it is",
		"session/new without an absolute cwd and a list of servers", "session/prompt without a session or a text",
	}
	if diff := cmp.Diff(want, c.end().Wrong); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
