package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"windsock/probe/simulator"
	"windsock/probe/simulator/cloud"
	"windsock/probe/simulator/simtest"
)

// Ten commands at once ask one question, and all tell its answer.
func TestCloudTenAtOnce(t *testing.T) {
	t.Parallel()
	for _, fault := range []cloud.Fault{cloud.FaultNone, cloud.FaultInternal} {
		t.Run("fault_"+string(fault), func(t *testing.T) {
			t.Parallel()
			a := withDevin(t)
			a.check(a.services.Fail(fault, ""))
			want := map[cloud.Fault]string{cloud.FaultNone: "0; " + devinFigures, cloud.FaultInternal: "1; windsurf cloud !server_error"}[fault]
			var all sync.WaitGroup
			told := make([]ran, 10)
			for i := range told {
				all.Go(func() { told[i] = a.run("status", "--json") })
			}
			all.Wait()
			for _, r := range told {
				if got := r.told(t); got != want {
					t.Errorf("told %q, want %q", got, want)
				}
			}
			a.asked(1)
		})
	}
}

// A bar that asks every five seconds is told what is kept, and reaches the service every
// five minutes.
func TestCloudBar(t *testing.T) {
	t.Parallel()
	a := withDevin(t)
	for a.ahead = 0; a.ahead < 4*time.Minute; a.ahead += 5 * time.Second {
		if r := a.run("status", "--format", "tmux"); r.code != 0 || !strings.Contains(r.stdout, "12% left") {
			t.Fatalf("after %v: %+v", a.ahead, r)
		}
	}
	a.asked(1)
	a.ahead = 6 * time.Minute
	a.run("status", "--format", "tmux")
	a.asked(2)
}

// After a 429 nobody asks before the service wants to be asked.
func TestCloudRetryAfter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fault         cloud.Fault
		before, after time.Duration
	}{
		{cloud.FaultTooMany, 100 * time.Second, 140 * time.Second},      // 120 seconds
		{cloud.FaultTooManyUntil, 280 * time.Second, 320 * time.Second}, // a date in five minutes
	} {
		t.Run(string(tt.fault), func(t *testing.T) {
			t.Parallel()
			a := withDevin(t)
			a.check(a.services.Fail(tt.fault, ""))
			for i, ahead := range []time.Duration{0, time.Minute, tt.before} {
				a.ahead = ahead
				if got := a.run("status", "--json").told(t); got != "1; windsurf cloud !rate_limited" {
					t.Errorf("question %d: %s", i, got)
				}
			}
			a.asked(1)
			a.check(a.services.Fail(cloud.FaultNone, ""))
			a.ahead = tt.after
			if got := a.run("status", "--json").told(t); got != "0; "+devinFigures {
				t.Error(got)
			}
			a.asked(2)
		})
	}
}

// While a server of the editor answers, the service is not asked; once it has ended, it
// is.
func TestCloudBehindTheEditor(t *testing.T) {
	t.Parallel()
	a := withDevin(t)
	if got := a.run("status", "--json").told(t); got != "0; "+devinFigures {
		t.Fatal(got)
	}
	a.check(simtest.SignIn(a.path("home/.config/Windsurf"), simtest.Auth{Key: deskKey}))
	server := simtest.Start(t, simulator.Options{
		Root: a.path("root"), Home: a.home, IDEName: "windsurf", App: "usr/share/windsurf", Config: simulator.Config{Scenario: "quota_fresh"},
	})
	var pids []string
	for _, pid := range server.PIDs() {
		pids = append(pids, fmt.Sprint(pid))
	}
	replaceFile(t, a.path("pids"), strings.Join(pids, " "))
	a.ahead = later
	if got := a.run("status", "--json").told(t); got != "0; windsurf language_server daily_quota=100 weekly_quota=100" {
		t.Error(got)
	}
	a.asked(1)
	a.check(server.Stop())
	a.ahead += later
	if got := a.run("status", "--json").told(t); !strings.HasPrefix(got, "0; "+devinFigures) {
		t.Error(got)
	}
	a.asked(2)
}
