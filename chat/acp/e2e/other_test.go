package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"windsock/chat"
	"windsock/chat/acp"
	"windsock/probe/simulator"
	"windsock/probe/simulator/agent"
)

// TestCursor: Cursor's program is found on the PATH. Its settings and the chat lie in a
// directory that goes with the prompt, and it is ended though it never ends by itself.
func TestCursor(t *testing.T) {
	for _, tt := range []struct {
		name string
		b    agent.Behaviour
		code chat.Code
		text string
	}{
		{name: "echo", b: agent.Behaviour{Turn: "echo"}, text: prompt.Text},
		{name: "denied_by_settings", b: agent.Behaviour{Turn: "asks"}, text: "My settings let me run no command."},
		{name: "signed_out", b: agent.Behaviour{Faults: []agent.Fault{agent.SignedOut}}, code: chat.NotSignedIn},
		{name: "acts", b: agent.Behaviour{Turn: "acts"}, code: chat.AgentActs},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rigIn(t.TempDir())
			tt.b.Tick = time.Millisecond
			r.profile = acp.Cursor
			var err error
			if r.binary, err = simulator.InstallAgent("", filepath.Join(r.dir, "bin"), agent.Cursor, tt.b); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", filepath.Dir(r.binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
			t.Setenv("CURSOR_CONFIG_DIR", filepath.Join(r.dir, "a person's own"))
			e := r.engine()
			got, err := e.Ask(t.Context(), prompt, func(chat.Event) {})
			if codeOf(err) != tt.code || got.Text != tt.text || got.Left != chat.NothingLeft {
				t.Errorf("%v, left %v, %q", err, got.Left, got.Text)
			}
			e.Close()
			r.nothingRuns(t)
			r.nothingWaits(t)
			r.behaved(t)
			if found, err := filepath.Glob(filepath.Join(r.dir, "*")); err != nil || strings.Contains(strings.Join(found, " "), "own") {
				t.Errorf("%q, %v", found, err)
			}
		})
	}
}

// TestCustom: a command of the person's gets no settings and is refused all the same.
func TestCustom(t *testing.T) {
	t.Parallel()
	r := newRig(t, agent.Behaviour{Turn: "asks"})
	r.profile = acp.Custom([]string{r.binary, "acp"}, nil)
	e := r.engine()
	got, err := e.Ask(t.Context(), prompt, func(chat.Event) {})
	if err != nil || got.Text != "Then I do not run it." {
		t.Errorf("%q, %v", got.Text, err)
	}
	e.Close()
	r.nothingRuns(t)
	r.nothingWaits(t)
	r.behaved(t)
}

// TestImages: as many bytes of images as a prompt takes come to the agent whole.
func TestImages(t *testing.T) {
	t.Parallel()
	r := newRig(t, agent.Behaviour{Turn: "echo"})
	e := r.engine()
	gif := append([]byte("GIF89a"), make([]byte, chat.MaxImage-len("GIF89a"))...)
	images := []chat.Image{{Kind: "image/gif", Data: gif}, {Kind: "image/gif", Data: gif}}
	if got, err := e.Ask(t.Context(), chat.Prompt{Text: "What is it?", Images: images}, func(chat.Event) {}); err != nil || got.Text != "What is it?" {
		t.Errorf("%q, %v", got.Text, err)
	}
	e.Close()
	if runs := r.runs(t); len(runs) != 1 || runs[0].Images != len(images) {
		t.Errorf("%+v", runs)
	}
	r.nothingRuns(t)
	r.nothingWaits(t)
	r.behaved(t)
}

// TestUnread: a long prompt that an agent does not read holds nothing up.
func TestUnread(t *testing.T) {
	t.Parallel()
	r := newRig(t, agent.Behaviour{Faults: []agent.Fault{agent.StopsReading}})
	e := r.engine()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // so much that the agent has begun
	defer cancel()
	began := time.Now()
	_, err := e.Ask(ctx, chat.Prompt{Text: strings.Repeat("long ", chat.MaxPrompt/5)}, func(chat.Event) {})
	e.Close()
	if took := time.Since(began); codeOf(err) != chat.TimedOut || took > 20*time.Second {
		t.Errorf("%v after %v", err, took)
	}
	r.nothingRuns(t)
}

// TestAtOnce: prompts at the same time have a program each, and none outlives the
// engine.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, agent.Behaviour{Turn: "echo"})
	e := r.engine()
	var asking sync.WaitGroup
	for n := range 4 {
		asking.Go(func() {
			text := fmt.Sprintf("Say %s %d times.", secretWords, n)
			if got, err := e.Ask(t.Context(), chat.Prompt{Text: text}, func(chat.Event) {}); err != nil || got.Text != text {
				t.Errorf("%q, %v", got.Text, err)
			}
		})
	}
	asking.Wait()
	e.Close()
	r.nothingRuns(t)
	r.nothingWaits(t)
	r.behaved(t)
}
