package e2e

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/probe/simulator/agent"
)

// BenchmarkFirstText measures the time from a prompt to the first text of the answer:
// through the engine, and beside it with the agent driven by hand, which does nothing but
// write the same messages. In cold the program is started, in kept it runs.
//
// The agent's own text comes at once, so that what is left is the way there and back.
func BenchmarkFirstText(b *testing.B) {
	quick := agent.Behaviour{Turn: "echo", Tick: time.Nanosecond}
	b.Run("engine/cold", func(b *testing.B) {
		r := newRig(b, quick)
		for b.Loop() {
			e := r.engine()
			firstText(b, func(tell func(chat.Event)) error { _, err := e.Ask(b.Context(), prompt, tell); return err })
			b.StopTimer()
			e.Close()
			b.StartTimer()
		}
	})
	b.Run("engine/kept", func(b *testing.B) {
		e := newRig(b, quick).engine()
		defer e.Close()
		firstText(b, func(tell func(chat.Event)) error { _, err := e.Ask(b.Context(), prompt, tell); return err })
		for b.Loop() {
			firstText(b, func(tell func(chat.Event)) error { _, err := e.Ask(b.Context(), prompt, tell); return err })
		}
	})
	b.Run("by_hand/cold", func(b *testing.B) {
		r := newRig(b, quick)
		for b.Loop() {
			h := r.byHand(b)
			h.ask()
			b.StopTimer()
			h.end()
			b.StartTimer()
		}
	})
	b.Run("by_hand/kept", func(b *testing.B) {
		h := newRig(b, quick).byHand(b)
		defer h.end()
		for b.Loop() {
			h.ask()
			b.StopTimer()
			h.until(`"stopReason"`)
			b.StartTimer()
		}
	})
}

// firstText runs a prompt, and stops the clock from the first text to the end.
func firstText(b *testing.B, ask func(tell func(chat.Event)) error) {
	b.Helper()
	stopped := false
	err := ask(func(e chat.Event) {
		if e.Kind == chat.Grows && !stopped {
			b.StopTimer()
			stopped = true
		}
	})
	if err != nil || !stopped {
		b.Fatalf("no text: %v", err)
	}
	b.StartTimer()
}

// byHand is an agent's process that is driven with as little as possible.
type byHand struct {
	b   *testing.B
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (r *rig) byHand(b *testing.B) *byHand {
	b.Helper()
	h := &byHand{b: b, cmd: exec.CommandContext(b.Context(), r.binary, "acp")}
	var err error
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	h.out = bufio.NewReader(out)
	if err := h.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	h.write(`"id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"bench","version":"0"}}`)
	h.until(`"id":1`)
	return h
}

func (h *byHand) write(message string) {
	h.b.Helper()
	if _, err := io.WriteString(h.in, `{"jsonrpc":"2.0",`+message+"}\n"); err != nil {
		h.b.Fatal(err)
	}
}

// until reads to the line with that text.
func (h *byHand) until(text string) string {
	h.b.Helper()
	for {
		line, err := h.out.ReadString('\n')
		if err != nil {
			h.b.Fatal(err)
		}
		if strings.Contains(line, text) {
			return line
		}
	}
}

// ask asks in a session of its own, to the first text.
func (h *byHand) ask() {
	h.b.Helper()
	h.write(`"id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}`)
	id := `"sessionId":"` + gjson.Get(h.until(`"id":2`), "result.sessionId").String() + `"`
	h.write(`"id":3,"method":"session/set_config_option","params":{` + id + `,"configId":"mode","value":"ask"}`)
	h.until(`"id":3`)
	h.write(`"id":4,"method":"session/prompt","params":{` + id + `,"prompt":[{"type":"text","text":"` + prompt.Text + `"}]}`)
	h.until("agent_message_chunk")
}

func (h *byHand) end() {
	_ = h.in.Close()
	_ = h.cmd.Wait()
}
