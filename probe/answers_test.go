package probe

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/signin"
	"windsock/probe/simulator/simtest"
	"windsock/probe/system"
)

// counting counts how often the processes are listed.
type counting struct {
	fakeSystem

	looks atomic.Int32
}

func (c *counting) Processes(ctx context.Context) ([]system.Process, error) {
	c.looks.Add(1)
	return c.fakeSystem.Processes(ctx)
}

// All variants that run are asked at the same time, after one look at the processes.
func TestAnswers(t *testing.T) {
	t.Parallel()
	var together sync.WaitGroup // of the three servers
	together.Add(3)
	meet := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			together.Done()
			together.Wait()
			answer(w, status, body)
		}
	}
	sys := &counting{}
	sys.Add("--ide_name windsurf", rpc(t, meet(200, `{"a":1}`)).URL)
	sys.Add("--ide_name windsurf-next", rpc(t, meet(401, `{"code":"unauthenticated"}`)).URL)
	sys.Add("--ide_name windsurf-eu", rpc(t, meet(200, `{"b":1}`)).URL)
	sys.Add(appArgs, startAntigravity(t, appToken, sends{200, summaryBody}, sends{200, statusBody}).URL)
	sys.Add("--ide_name windsurf-fed")
	f := sys.finder(t, testKey)
	f.system = sys
	type row struct {
		Product, App string
		PID          int
		Told         string
	}
	var got []row
	answers := f.Answers(t.Context(), Variants())
	for _, a := range answers {
		text := string(a.Raw)
		if a.Failure != nil {
			text = string(a.Failure.code)
		}
		got = append(got, row{a.Product, a.Server.App, a.Server.PID, text})
	}
	want := []row{
		{Windsurf, "Windsurf", 100, `{"a":1}`},
		{Windsurf, "Windsurf Next", 101, "not_signed_in"},
		{Windsurf, "Windsurf Insiders", 0, "not_running"},
		{Windsurf, "Windsurf EU", 102, `{"b":1}`},
		{Windsurf, "Windsurf Fed", 104, "no_port"},
		{Windsurf, "Windsurf Secure", 0, "not_running"},
		{Windsurf, "Windsurf Dev", 0, "not_running"},
		{Antigravity, "Antigravity", 103, bothBody},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := sys.looks.Load(); n != 1 {
		t.Errorf("%d looks at the processes", n)
	}
	if f := Furthest(answers); f == nil || f.code != NotSignedIn {
		t.Errorf("furthest: %v", f)
	}
	if f := Furthest((&fakeSystem{}).finder(t).Answers(t.Context(), Variants())); f == nil || f.app != "Windsurf (Devin Desktop)" || f.server != (Server{}) {
		t.Errorf("furthest of none: %+v", f)
	}
	if f := Furthest(nil); f != nil {
		t.Errorf("furthest of nothing: %v", f)
	}
}

// silent is a system whose processes take until the end to tell their ports.
type silent struct{ fakeSystem }

func (*silent) Listeners(ctx context.Context, _ system.Process) ([]netip.AddrPort, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// Several silent variants take no longer than one.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sys := &silent{}
		for _, v := range VariantsOf(Windsurf) {
			sys.Add("--ide_name " + v.ID)
		}
		sys.Add(appArgs)
		f := sys.finder(t, testKey)
		f.system = sys
		start := time.Now()
		for _, a := range f.Answers(t.Context(), Variants()) {
			if a.Failure == nil || a.Failure.code != NoPort {
				t.Errorf("%+v", a)
			}
		}
		if took := time.Since(start); took != answerTimeout {
			t.Errorf("took %v", took)
		}
	})
}

// A regional build is asked with its own key, or else with Windsurf's. Windsurf and Next
// are never asked with another one's.
func TestRegionalSignIn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		variant string
		dirs    []string
		want    string // the keys that came, in their order
	}{
		{"windsurf-eu", []string{"Windsurf - EU", "Windsurf"}, "Windsurf - EU, Windsurf"},
		{"windsurf-eu", []string{"Windsurf EU"}, "Windsurf EU"},
		{"windsurf-eu", []string{"Windsurf - Next", "Devin", "Windsurf - Fed"}, "Devin"},
		{"windsurf", []string{"Windsurf - EU", "Devin"}, "Devin"},
		{"windsurf-next", []string{"Windsurf", "Windsurf - EU"}, ""},
	} {
		t.Run(tt.variant+"_"+strings.Join(tt.dirs, "_"), func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var came []string
			server := rpc(t, func(w http.ResponseWriter, r *http.Request) {
				var message struct {
					Metadata struct{ APIKey string }
				}
				if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
					t.Error(err)
				}
				mu.Lock()
				came = append(came, message.Metadata.APIKey)
				mu.Unlock()
				answer(w, 401, `{"code":"unauthenticated"}`)
			})
			home := t.TempDir()
			for _, dir := range tt.dirs {
				if err := simtest.SignIn(filepath.Join(home, ".config", dir), simtest.Auth{Key: dir}); err != nil {
					t.Fatal(err)
				}
			}
			sys := &fakeSystem{}
			sys.Add("--ide_name "+tt.variant, server.URL)
			NewFinder(WithDirs(signin.Below(home)), WithSystem(sys)).Answers(t.Context(), Variants())
			if got := strings.Join(came, ", "); got != tt.want {
				t.Errorf("keys that came: %s, want %s", got, tt.want)
			}
		})
	}
}

func TestVariantIDs(t *testing.T) {
	t.Parallel()
	const all = "windsurf, windsurf-next, windsurf-insiders, windsurf-eu, windsurf-fed, windsurf-secure, windsurf-dev and antigravity"
	if got := VariantIDs(Variants()); got != all {
		t.Error(got)
	}
	if got := VariantIDs(VariantsOf(Antigravity)); got != "antigravity" {
		t.Error(got)
	}
}
