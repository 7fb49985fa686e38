package traytest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// failing is a test that may fail or be skipped without harm.
type failing struct {
	testing.TB

	deadline time.Time
	told     string
}

func (f *failing) Deadline() (time.Time, bool) { return f.deadline, true }

func (f *failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) {
	f.told = "fatal: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (f *failing) Fatal(args ...any) { f.Fatalf("%s", fmt.Sprint(args...)) }

func (f *failing) Skip(args ...any) {
	f.told = "skip: " + fmt.Sprint(args...)
	runtime.Goexit()
}

// outcome is how a helper ends its test when time is short, "" for not.
func outcome(t *testing.T, helper func(testing.TB)) string {
	t.Helper()
	f := &failing{TB: t, deadline: time.Now().Add(2 * time.Second)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		helper(f)
	}()
	<-done
	return f.told
}

// TestNeed is not parallel: it changes the environment.
func TestNeed(t *testing.T) {
	tests := []struct {
		name  string
		ci    string
		tools []string
		want  string
	}{
		{"all_there", "true", []string{"ls"}, ""},
		{"skips", "", []string{"ls", "no-such-tool"}, "skip: missing no-such-tool; apt-get install no-such-tool"},
		{"fails_in_ci", "true", []string{"no-such-tool"}, "fatal: missing no-such-tool; apt-get install no-such-tool"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("CI", tt.ci)
			if got := outcome(t, func(tb testing.TB) { tb.Helper(); Need(tb, tt.tools...) }); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNeedNamesPackagesOnce(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv("CI", "")
	got := outcome(t, func(tb testing.TB) { tb.Helper(); Need(tb, "Xvfb", "dunst", "dunstctl") })
	if want := "skip: missing Xvfb, dunst, dunstctl; apt-get install xvfb dunst"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFailuresTell checks that each helper that gives up says what it saw.
func TestFailuresTell(t *testing.T) {
	t.Parallel()
	b := StartBus(t)
	b.Watch(t, true)
	p := b.Start(t, program(t, "item"))
	item := b.Item(t, p.PID())
	tests := []struct {
		name   string
		helper func(testing.TB)
		want   []string
	}{
		{"no_item", func(tb testing.TB) { tb.Helper(); b.Item(tb, 1) }, []string{"process 1:", item.owner + itemPath}},
		{"no_menu", func(tb testing.TB) {
			tb.Helper()
			item.WaitMenu(tb, func(text string) bool { return strings.Contains(text, "flex") })
		}, []string{"as it should be", wantMenu}},
		{"no_text", func(tb testing.TB) { tb.Helper(); item.WaitMenuContains(tb, "453", "flex") }, []string{`["flex"] is not`, wantMenu}},
		{"no_row", func(tb testing.TB) { tb.Helper(); item.Click(tb, "Quit") }, []string{`"Quit"`, wantMenu}},
		{"hidden_row", func(tb testing.TB) { tb.Helper(); item.Click(tb, "Nothing to see") }, []string{wantMenu}},
		{"disabled_row", func(tb testing.TB) { tb.Helper(); item.Click(tb, "453 of 500 credits left") }, []string{wantMenu}},
		{"submenu", func(tb testing.TB) { tb.Helper(); item.Click(tb, "Model") }, []string{wantMenu}},
		{"not_gone", item.WaitGone, []string{"lose", fmt.Sprint(p.PID())}},
		{"no_notification", func(tb testing.TB) { tb.Helper(); b.WaitNotifications(tb, 1) }, []string{"see 1 notifications"}},
		{"no_output", func(tb testing.TB) { tb.Helper(); p.WaitOutput(tb, "clicked 9") }, []string{"clicked 9"}},
		{"no_end", func(tb testing.TB) { tb.Helper(); p.Wait(tb) }, []string{"has not ended"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := outcome(t, tt.helper)
			if !strings.HasPrefix(got, "fatal: ") {
				t.Fatalf("got %q, want it to fail", got)
			}
			for _, part := range tt.want {
				if !strings.Contains(got, part) {
					t.Errorf("got %q, want %q in it", got, part)
				}
			}
		})
	}
}
