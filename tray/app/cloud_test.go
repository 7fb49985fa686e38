package app

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/probe/simulator"
	"windsock/probe/simulator/account"
	simulated "windsock/probe/simulator/cloud"
	"windsock/probe/simulator/simtest"
	"windsock/usage"
	"windsock/usage/poll"
)

// TestCloudOrder: who is asked, by what is allowed and what runs.
func TestCloudOrder(t *testing.T) {
	t.Parallel()
	const notRunning = "windsurf not_running"
	const cloud = "windsurf cloud windsurf server.codeium.com 0s"
	ask := func(change func(*poll.Ask)) poll.Ask {
		a := once
		change(&a)
		return a
	}
	tests := []struct {
		name  string
		allow []string
		runs  func(*cloudBench)
		ask   poll.Ask
		want  string
		asked string
	}{
		{"nothing_is_allowed", nil, nil, once, notRunning, ""},
		{"none_runs", []string{allowEditor}, nil, once, cloud + "\nothers not_running", "GetPlanStatus"},
		{"a_server_answers", []string{allowEditor}, func(b *cloudBench) { b.runs(200, `{"userStatus":{}}`) }, once, "windsurf windsurf now\nothers not_running", ""},
		{
			"a_server_is_not_signed_in",
			[]string{allowEditor},
			func(b *cloudBench) { b.runs(401, `{"code":"unauthenticated"}`) },
			once,
			"windsurf windsurf not_signed_in\nothers not_running",
			"",
		},
		{
			"a_server_is_not_signed_in_and_the_command_line_is",
			[]string{allowEditor, allowCLI},
			func(b *cloudBench) { b.runs(401, `{"code":"unauthenticated"}`) },
			once,
			"windsurf cloud devin-cli server.codeium.com 0s\nwindsurf windsurf not_signed_in\nothers not_running",
			"GetUserStatus",
		},
		{
			"a_server_cannot_be_reached",
			[]string{allowEditor},
			func(b *cloudBench) { b.servers.Add("--ide_name windsurf-next") },
			once,
			cloud + "\nwindsurf windsurf-next no_port\nothers not_running",
			"GetPlanStatus",
		},
		{"another_sign_in_is_allowed", []string{allowCursor}, nil, once, notRunning + "\ncursor cloud cursor api2.cursor.sh 0s", "GetCurrentPeriodUsage usage GetPlanInfo GetHardLimit"},
		{"the_host_is_another", []string{"windsurf@eu.windsurf.com"}, nil, once, "windsurf cloud windsurf eu.windsurf.com host_not_allowed", ""},
		{"another_variant_is_wanted", []string{allowEditor}, nil, ask(func(a *poll.Ask) { a.Variant = "windsurf-next" }), "windsurf windsurf-next not_running", ""},
		{"its_variant_is_wanted", []string{allowEditor, allowCLI, allowCursor}, nil, ask(func(a *poll.Ask) { a.Variant = "windsurf" }), cloud, "GetPlanStatus"},
		{"another_product_is_wanted", []string{allowEditor, allowCursor}, nil, ask(func(a *poll.Ask) { a.Products = []usage.Product{usage.Antigravity} }), "antigravity antigravity not_running", ""},
		{
			"cursor_is_named",
			nil,
			nil,
			poll.Ask{Products: []usage.Product{usage.Cursor}, Named: true, Why: poll.WhyOnce},
			"cursor cloud off",
			"",
		},
		{"the_settings_are_broken", []string{allowEditor, allowEditor}, nil, once, notRunning, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newCloudBench(t, "robin", "robin", tt.allow...)
			if tt.runs != nil {
				tt.runs(b)
			}
			if diff := cmp.Diff(tt.want, b.fetch(tt.ask)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := b.asked(new(int)); got != tt.asked {
				t.Errorf("asked %q, want %q", got, tt.asked)
			}
		})
	}
}

// TestErrOff: without consent Cursor has no figures, and the way to them is told.
func TestErrOff(t *testing.T) {
	t.Parallel()
	if say.Exit(errOff) != 4 || say.Code(errOff) != "off" || !strings.Contains(say.Sentence(errOff, ""), "`windsock cloud allow cursor`") {
		t.Errorf("exit %d: %s", say.Exit(errOff), say.Sentence(errOff, ""))
	}
}

// TestCloudSettings: the poller follows what is allowed.
func TestCloudSettings(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "", "", allowEditor, allowCursor)
	c, err := b.config()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{allowEditor, allowCursor}, b.pollerSettings(c).Cloud); diff != "" {
		t.Error(diff)
	}
}

// TestCloudAccounts: which plans there are, by whose the sign-ins are.
func TestCloudAccounts(t *testing.T) {
	t.Parallel()
	user := func(p account.Person) usage.Account { return usage.NewAccount("user", p.ID()) }
	tests := []struct {
		name        string
		editor, cli account.Person
		same        bool // they have one token
		allow       []string
		want        []usage.Account
		asked       string
	}{
		{"an_editor", "robin", "", false, []string{allowEditor}, []usage.Account{user("robin")}, "GetPlanStatus"},
		{"a_command_line", "", "robin", false, []string{allowCLI}, []usage.Account{usage.NewAccount("sign-in", "devin-cli")}, "GetPlanStatus"},
		{"one_token", "robin", "robin", true, []string{allowEditor, allowCLI}, []usage.Account{user("robin")}, "GetPlanStatus"},
		{"one_person", "robin", "robin", false, []string{allowEditor, allowCLI}, []usage.Account{user("robin")}, "GetPlanStatus GetUserStatus"},
		{"two_people", "robin", "kim", false, []string{allowEditor, allowCLI}, []usage.Account{user("robin"), user("kim")}, "GetPlanStatus GetUserStatus"},
		{"cursor", "", "", false, []string{allowCursor}, []usage.Account{usage.NewAccount("cursor", "user_planted")}, "GetCurrentPeriodUsage usage GetPlanInfo GetHardLimit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newCloudBench(t, tt.editor, tt.cli, tt.allow...)
			if tt.same {
				b.signInCLI(editorToken, tt.cli)
			}
			var got []string
			plans := poll.Look(t.Context(), poll.Config{Fetch: b.fetching(b.salt), Salt: b.salt, Now: b.serverNow})
			for _, s := range plans {
				if s.Err != nil || !s.HasFigures() {
					t.Errorf("%s: %v", s.Name, s.Err)
				}
				got = append(got, s.Hash)
			}
			salt, err := b.salt(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, a := range tt.want {
				want = append(want, a.Hash(salt)[:6])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("accounts (-want +got):\n%s", diff)
			}
			calls := strings.Fields(b.asked(new(int)))
			slices.Sort(calls) // those of two sign-ins come at once
			wantCalls := strings.Fields(tt.asked)
			slices.Sort(wantCalls)
			if diff := cmp.Diff(wantCalls, calls); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCloudGoesOnInOnePlan: a server and the cloud tell of one plan, with one history.
func TestCloudGoesOnInOnePlan(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "robin", "", allowEditor)
	config := poll.Config{Fetch: b.fetching(b.salt), Salt: b.salt, Now: b.serverNow}
	cloud := poll.Look(t.Context(), config).Lead()
	answer, err := simtest.Answer(t.Context(), simulator.Config{Scenario: "quota_tight"}, "GetUserStatus", `{"metadata":{"apiKey":"k"}}`)
	if err != nil {
		t.Fatal(err)
	}
	b.runs(200, string(answer))
	server := poll.Look(t.Context(), config).Lead()
	if cloud.Hash != server.Hash || cloud.Hash == "" || server.Snapshot.Source.Kind != usage.KindLanguageServer || cloud.Snapshot.Source.Kind != usage.KindCloud {
		t.Errorf("%s by %s and %s by %s, %v", cloud.Hash, cloud.Snapshot.Source.Kind, server.Hash, server.Snapshot.Source.Kind, server.Err)
	}
	if cloud.Snapshot.Plan != server.Snapshot.Plan {
		t.Error("they are two plans")
	}
}

// TestCloudOfAnotherPerson: nothing of one person's answer stands beside another's figures.
func TestCloudOfAnotherPerson(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "", "", allowCursor)
	seen := 0
	for _, want := range []string{"Pro", "Ultra"} {
		s := poll.Look(t.Context(), poll.Config{Fetch: b.fetching(b.salt), Salt: b.salt, Now: b.serverNow}).Lead()
		if _, spends := s.Snapshot.Meter(usage.OnDemand); s.Snapshot.PlanName != want || spends != (want == "Ultra") {
			t.Errorf("%s, on demand %v; want %s", s.Snapshot.PlanName, spends, want)
		}
		if asked := b.asked(&seen); asked != "GetCurrentPeriodUsage usage GetPlanInfo GetHardLimit" {
			t.Errorf("asked %q", asked)
		}
		b.open(simulated.Account{Token: otherCursorToken, Cursor: "on_demand"})
		writeIn(t, b.home(), ".config/cursor/auth.json", fmt.Sprintf(`{"accessToken":%q}`, otherCursorToken))
		b.wait(6 * time.Minute)
	}
}

// TestCloudOfAnotherHost: what one host has told is not told of another one.
func TestCloudOfAnotherHost(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "robin", "", allowEditor)
	for _, step := range []struct{ allow, want string }{
		{allowEditor, "server.codeium.com 0s"},
		{"windsurf@eu.windsurf.com", "eu.windsurf.com host_not_allowed"},
		{allowEditor, "server.codeium.com 0s"},
	} {
		b.allow(step.allow)
		if got := firstLine(b.fetch(once)); got != "windsurf cloud windsurf "+step.want {
			t.Errorf("%s: %s, want %s", step.allow, got, step.want)
		}
		b.wait(time.Minute)
	}
}

// TestCloudKeepsNothingPersonal: what lies in the state directory after answers with all
// that the services know.
func TestCloudKeepsNothingPersonal(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "robin", "kim", allowEditor, allowCLI, allowCursor)
	b.fetch(once)
	secrets := []string{
		editorToken, cliToken, cursorToken, "planted", "robin", "Robin", "kim", "Kim", "example.com",
		account.Person("robin").ID(), account.Person("kim").ID(),
	}
	files := 0
	err := filepath.WalkDir(b.stateDir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		for _, s := range secrets {
			if bytes.Contains(text, []byte(s)) {
				t.Errorf("%s holds %s", entry.Name(), s)
			}
		}
		return err
	})
	if err != nil || files < 7 { // three answers, three locks, the history
		t.Errorf("%d files, %v", files, err)
	}
}

// TestCloudWithoutHistory: where there is no salt, the account is not known.
func TestCloudWithoutHistory(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "robin", "", allowEditor)
	b.salt = func(context.Context) ([]byte, error) { return nil, &say.Error{Code: "unreadable"} }
	readings := b.fetching(b.salt)(t.Context(), once)
	if r := readings[0]; r.Raw == nil || r.Err != nil || r.Account.Known() {
		t.Errorf("%v, %v", r.Account, r.Err)
	}
}
