package cascade_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"windsock/chat"
	"windsock/chat/cascade"
	"windsock/chat/touched"
	"windsock/chat/touched/touchedtest"
	"windsock/probe"
	"windsock/probe/say"
	"windsock/probe/signin"
	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
)

// quick is an editor whose turns take a moment.
func quick() simulator.Options {
	return simulator.Options{IDEName: "windsurf", Token: simulator.TokenEnv, Config: simulator.Config{Cascade: simulator.Cascade{Tick: 5 * time.Millisecond}}}
}

// keeper asks a simulated editor for a person who goes on.
type keeper struct {
	*cascade.Engine

	t       *testing.T
	table   *touched.Table
	running *simulator.Process
}

func newKeeper(t *testing.T) *keeper {
	t.Helper()
	home := t.TempDir()
	if err := simtest.SignIn(filepath.Join(home, ".config", "Windsurf"), simtest.Auth{Key: "sk-ws-01-simulated"}); err != nil {
		t.Fatal(err)
	}
	k := &keeper{t: t, table: touchedtest.New(t, t.TempDir(), time.Now)}
	k.running = simtest.Start(t, quick())
	finder := probe.NewFinder(probe.WithDirs(signin.Below(home)), probe.WithProcesses(func(pid int) bool { return slices.Contains(k.running.PIDs(), pid) }))
	k.Engine = cascade.New(cascade.EngineParts{
		Finder: finder, Variants: func() ([]probe.Variant, error) { return probe.VariantsOf(probe.Windsurf), nil },
		Queue: k.table, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(k.Close)
	return k
}

func (k *keeper) ask(text, further string) (chat.Answer, error) {
	return k.Ask(k.t.Context(), chat.Prompt{Text: text, Model: "claude-opus-4-7-medium", Keep: true, Further: further}, func(chat.Event) {})
}

func (k *keeper) waiting() []touched.Waiting {
	k.t.Helper()
	all, err := k.table.Waiting(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	return all
}

// Two conversations go on beside each other, each in its own cascade, until they are
// ended; what was ended is gone.
func TestEngineFurther(t *testing.T) {
	t.Parallel()
	k := newKeeper(t)
	var refs []string
	for _, text := range []string{"turn:echo a", "turn:echo b"} {
		first, err := k.ask(text, "")
		if err != nil || first.Left != chat.LeftOpen {
			t.Fatalf("%+v, %v", first, err)
		}
		refs = append(refs, first.Ref)
	}
	for _, ref := range refs {
		for _, text := range []string{"turn:echo more", "turn:tools more", "turn:echo more"} {
			got, err := k.ask(text, ref)
			if err != nil || got.Ref != ref || got.Left != chat.LeftOpen || text == "turn:echo more" && got.Text != text {
				t.Errorf("%s: %+v, %v", text, got, err)
			}
		}
	}
	for _, w := range k.waiting() {
		if w.Prompts != 4 || !w.Held {
			t.Errorf("%+v", w)
		}
	}
	if left := k.End(t.Context(), refs[0]); left != chat.NothingLeft || len(k.waiting()) != 1 {
		t.Errorf("left %v; waiting %v", left, k.waiting())
	}
	if got, err := k.ask("turn:echo", refs[0]); say.Code(err) != string(chat.ConversationGone) || got.Sent {
		t.Errorf("%+v, %v", got, err)
	}
	if left := k.End(t.Context(), refs[0]); left != chat.NothingLeft {
		t.Errorf("ended again: %v", left)
	}
	if left := k.End(t.Context(), refs[1]); left != chat.NothingLeft || len(k.waiting()) != 0 {
		t.Errorf("left %v; waiting %v", left, k.waiting())
	}
}

// A server that has restarted has no conversation of Windsock's, whether or not another
// one runs.
func TestEngineFurtherAfterRestart(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]bool{"restarted": true, "ended": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKeeper(t)
			first, err := k.ask("turn:echo", "")
			if err != nil {
				t.Fatal(err)
			}
			if err := k.running.Stop(); err != nil {
				t.Fatal(err)
			}
			if again {
				k.running = simtest.Start(t, quick())
			}
			got, err := k.ask("turn:echo", first.Ref)
			if f, ok := errors.AsType[*chat.Failure](err); !ok || f.Code != chat.ConversationGone || got.Sent || got.Left != chat.LeftForNow {
				t.Errorf("%+v, %v", got, err)
			}
			if w := k.waiting(); len(w) != 1 || w[0].Held {
				t.Errorf("waiting %+v", w)
			}
		})
	}
}
