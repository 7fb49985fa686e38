package app

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe"
	"windsock/probe/kept"
	"windsock/probe/say"
	"windsock/probe/signin"
	"windsock/probe/simulator"
	"windsock/probe/simulator/account"
	simulated "windsock/probe/simulator/cloud"
	"windsock/probe/simulator/simtest"
	"windsock/probe/system/systemtest"
	"windsock/usage"
	"windsock/usage/poll"
)

// The tokens of the tests' sign-ins.
const (
	editorToken = "devin-session-token$editor"
	cliToken    = "devin-session-token$cli"
	cursorToken = "e30.eyJzdWIiOiJhdXRoMHx1c2VyX3BsYW50ZWQifQ.planted" // of auth0|user_planted
)

// The sign-ins, as the settings allow them.
const (
	allowEditor = "windsurf@server.codeium.com"
	allowCLI    = "devin-cli@server.codeium.com"
	allowCursor = "cursor@api2.cursor.sh"
)

// cloudBench is a person's program and the makers' services.
type cloudBench struct {
	parts

	tb      testing.TB
	service *simulated.Server
	servers systemtest.Fake
	salt    func(context.Context) ([]byte, error)
	// ahead is how far its clock is past noon.
	ahead atomic.Int64
}

// newCloudBench is a bench whose person has allowed these sign-ins. Robin is signed in to
// Cursor; editor and cli are whose Windsurf's sign-ins are, "" for nobody.
func newCloudBench(tb testing.TB, editor, cli account.Person, allow ...string) *cloudBench {
	tb.Helper()
	home := tb.TempDir()
	b := &cloudBench{tb: tb}
	now := func() time.Time {
		return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC).Add(time.Duration(b.ahead.Load()))
	}
	var err error
	b.service, err = simulated.New(simulated.Config{Now: now, Accounts: []simulated.Account{{Token: cursorToken, Cursor: "individual"}}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = b.service.Close() })
	b.parts = parts{
		newFinder: func(options ...probe.Option) *probe.Finder {
			return probe.NewFinder(append(options, probe.WithDirs(signin.Below(home)), probe.WithSystem(&b.servers))...)
		},
		signIns: func() signin.Dirs {
			if len(allow) == 0 {
				tb.Error("sign-ins are looked for")
			}
			return signin.Below(home)
		},
		settings: configAt(filepath.Join(home, "config.toml")), stateDir: filepath.Join(home, "state"),
		serverNow: now, clock: now, speed: 1, cloud: b.service.Transport(), demo: true,
	}
	b.allow(allow...)
	store := b.history(nil)
	tb.Cleanup(func() { _ = store.Close() })
	b.salt = store.Salt
	if editor != "" {
		b.signIn(editorToken, editor)
	}
	if cli != "" {
		b.signInCLI(cliToken, cli)
	}
	writeIn(b.tb, home, ".config/cursor/auth.json", fmt.Sprintf(`{"accessToken":%q}`, cursorToken))
	return b
}

func (b *cloudBench) home() string { return filepath.Dir(b.settings.Path) }

// signIn signs a person in to Windsurf.
func (b *cloudBench) signIn(token string, who account.Person) {
	b.tb.Helper()
	err := simtest.SignIn(filepath.Join(b.home(), ".config", "Windsurf"), simtest.Auth{
		Key: token, Scenario: "quota_fresh", Account: who,
		Rows: []simtest.Row{{Key: "codeium.windsurf", Value: `{"apiServerUrl":"https://server.codeium.com"}`}},
	})
	if err != nil {
		b.tb.Fatal(err)
	}
	b.open(simulated.Account{Token: token, Windsurf: "quota_tight", Owner: who})
}

// signInCLI signs a person in to Devin's command line.
func (b *cloudBench) signInCLI(token string, who account.Person) {
	b.tb.Helper()
	writeIn(b.tb, b.home(), ".local/share/devin/credentials.toml",
		fmt.Sprintf("windsurf_api_key = %q\napi_server_url = \"https://server.codeium.com\"\n", token))
	b.open(simulated.Account{Token: token, Windsurf: "quota_tight", Owner: who})
}

func (b *cloudBench) open(a simulated.Account) {
	b.tb.Helper()
	if err := b.service.Open(a); err != nil {
		b.tb.Fatal(err)
	}
}

func (b *cloudBench) fail(fault simulated.Fault) {
	b.tb.Helper()
	if err := b.service.Fail(fault, ""); err != nil {
		b.tb.Fatal(err)
	}
}

func (b *cloudBench) allow(names ...string) {
	b.tb.Helper()
	text := ""
	if len(names) > 0 {
		text = "[cloud]\nallow = [\"" + strings.Join(names, "\", \"") + "\"]\n"
	}
	if err := os.WriteFile(b.settings.Path, []byte(text), 0o600); err != nil {
		b.tb.Fatal(err)
	}
}

func (b *cloudBench) wait(d time.Duration) { b.ahead.Add(int64(d)) }

// once is what a command asks for.
var once = poll.Ask{Products: []usage.Product{usage.Windsurf, usage.Cursor}, Why: poll.WhyOnce}

// fetch is a line for each reading: of what, from where, how old and why not. Editors that
// do not run beside an answer have one line together.
func (b *cloudBench) fetch(ask poll.Ask) string {
	b.tb.Helper()
	var lines []string
	for _, r := range b.fetching(b.salt)(b.tb.Context(), ask) {
		line := strings.Join([]string{string(r.Product), string(r.Kind), r.Variant, r.Host}, " ")
		switch {
		case r.At.IsZero() && r.Raw != nil:
			line += " now"
		case r.Raw != nil:
			line += " " + b.serverNow().Sub(r.At).String()
		}
		if r.Err != nil {
			line += " " + say.Code(r.Err)
		}
		if len(lines) > 0 && say.Code(r.Err) == "not_running" {
			line = "others not_running"
		}
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(slices.Compact(lines), "\n")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// asked are the calls that came to the services, since the last look.
func (b *cloudBench) asked(before *int) string {
	b.tb.Helper()
	var calls []string
	all := b.service.Requests()
	for _, r := range all[*before:] {
		calls = append(calls, r.Method)
		if len(r.Violations) > 0 {
			b.tb.Errorf("%s: %v", r.Method, r.Violations)
		}
	}
	*before = len(all)
	return strings.Join(calls, " ")
}

// runs lets Windsurf run, with a server that answers so.
func (b *cloudBench) runs(status int, body string) {
	b.tb.Helper()
	server := systemtest.Serve(b.tb, systemtest.Token, func(w http.ResponseWriter, _ *http.Request) { systemtest.Answer(w, status, body) })
	b.servers.Add("--ide_name windsurf", server.URL)
}

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
			[]string{allowEditor, allowCLI},
			func(b *cloudBench) { b.runs(401, `{"code":"unauthenticated"}`) },
			once,
			"windsurf windsurf not_signed_in\nothers not_running",
			"",
		},
		{
			"a_server_cannot_be_reached",
			[]string{allowEditor},
			func(b *cloudBench) { b.servers.Add("--ide_name windsurf-next") },
			once,
			cloud + "\nwindsurf windsurf-next no_port\nothers not_running",
			"GetPlanStatus",
		},
		{"another_sign_in_is_allowed", []string{allowCursor}, nil, once, notRunning + "\ncursor cloud cursor api2.cursor.sh 0s", "GetCurrentPeriodUsage GetPlanInfo GetHardLimit"},
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

// TestCloudPace: when the service is asked again, by who wants to know and what came last.
func TestCloudPace(t *testing.T) {
	t.Parallel()
	const (
		from  = "windsurf cloud windsurf server.codeium.com "
		s, m  = time.Second, time.Minute
		plan  = "GetPlanStatus"
		none  = simulated.FaultNone
		quiet = simulated.FaultOffline
	)
	type step struct {
		after time.Duration
		fault simulated.Fault
		why   poll.Why
		want  string
		asked string
	}
	tests := []struct {
		name  string
		steps []step
	}{
		{"the_app_asks_every_ten_minutes", []step{
			{0, none, poll.WhyDue, "0s", plan}, {8 * m, none, poll.WhyDue, "8m0s", ""}, {m, none, poll.WhyDue, "0s", plan},
		}},
		{"a_command_takes_figures_of_five_minutes", []step{
			{0, none, poll.WhyOnce, "0s", plan}, {4 * m, none, poll.WhyOnce, "4m0s", ""}, {m, none, poll.WhyOnce, "0s", plan},
		}},
		{"a_click_takes_figures_of_30_seconds", []step{
			{0, none, poll.WhyWanted, "0s", plan}, {29 * s, none, poll.WhyWanted, "29s", ""}, {s, none, poll.WhyWanted, "0s", plan},
		}},
		{"a_failure_keeps_the_figures_and_waits", []step{
			{0, none, poll.WhyOnce, "0s", plan},
			{6 * m, simulated.FaultUnavailable, poll.WhyOnce, "6m0s server_error", plan},
			{50 * s, none, poll.WhyOnce, "6m50s server_error", ""},
			{10 * s, none, poll.WhyOnce, "0s", plan},
		}},
		{"offline_without_figures", []step{
			{0, quiet, poll.WhyOnce, "offline", ""}, {20 * s, none, poll.WhyOnce, "offline", ""}, {m, none, poll.WhyOnce, "0s", plan},
		}},
		{"the_service_says_how_long_to_wait", []step{
			{0, simulated.FaultTooMany, poll.WhyDue, "rate_limited", plan},
			{m, none, poll.WhyWanted, "rate_limited", ""},
			{time.Hour, none, poll.WhyWanted, "0s", plan},
		}},
		{"a_rejected_sign_in_drops_the_figures", []step{
			{0, none, poll.WhyDue, "0s", plan},
			{10 * m, simulated.FaultNotKnown, poll.WhyDue, "rejected", plan},
			{10 * m, simulated.FaultUnavailable, poll.WhyDue, "server_error", plan},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newCloudBench(t, "robin", "", allowEditor)
			seen := 0
			for i, step := range tt.steps {
				b.wait(step.after)
				b.fail(step.fault)
				got := firstLine(b.fetch(poll.Ask{Products: []usage.Product{usage.Windsurf}, Why: step.why}))
				if diff := cmp.Diff(from+step.want, got); diff != "" {
					t.Errorf("step %d (-want +got):\n%s", i, diff)
				}
				if asked := b.asked(&seen); asked != step.asked {
					t.Errorf("step %d: asked %q, want %q", i, asked, step.asked)
				}
			}
		})
	}
}

// TestCloudAfterReset: kept figures whose reset has passed are asked for again.
func TestCloudAfterReset(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "robin", "", allowEditor)
	reset := b.serverNow().Add(3 * time.Minute).Unix()
	answer := fmt.Appendf(nil, `{"userStatus":{"planStatus":{"dailyQuotaRemainingPercent":40,"dailyQuotaResetAtUnix":"%d"}}}`, reset)
	if _, err := b.keptOf("windsurf").Get(t.Context(), func(kept.Last) bool { return true }, func(_ context.Context, l kept.Last) kept.Last {
		return l.Answered(answer, "")
	}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3m50s", "0s"} {
		b.wait(230 * time.Second)
		if got := firstLine(b.fetch(poll.Ask{Products: []usage.Product{usage.Windsurf}})); got != "windsurf cloud windsurf server.codeium.com "+want {
			t.Errorf("%s, want %s", got, want)
		}
		b.wait(-220 * time.Second)
	}
}

// TestCloudCursorPace: Cursor's figures are asked for every quarter of an hour, what
// changes seldom once a day.
func TestCloudCursorPace(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "", "", allowCursor)
	seen := 0
	for _, step := range []struct {
		after time.Duration
		asked string
	}{
		{0, "GetCurrentPeriodUsage GetPlanInfo GetHardLimit"}, {13 * time.Minute, ""}, {time.Minute, "GetCurrentPeriodUsage"},
	} {
		b.wait(step.after)
		b.fetch(poll.Ask{Products: []usage.Product{usage.Cursor}})
		if asked := b.asked(&seen); asked != step.asked {
			t.Errorf("after %v: asked %q, want %q", step.after, asked, step.asked)
		}
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

// TestCloudSignsInAgain: a new sign-in ends a rejection at once.
func TestCloudSignsInAgain(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "", "robin", allowCLI)
	b.service.Revoke(cliToken)
	const from = "windsurf cloud devin-cli server.codeium.com "
	seen := 0
	for _, want := range []string{"GetPlanStatus", ""} {
		if got := b.fetch(once); got != from+"rejected" {
			t.Errorf("before: %s", got)
		}
		if asked := b.asked(&seen); asked != want {
			t.Errorf("asked %q, want %q", asked, want)
		}
		b.wait(31 * time.Second)
	}
	b.signInCLI(cliToken+"-renewed", "robin")
	if got := firstLine(b.fetch(once)); got != from+"0s" {
		t.Errorf("after: %s", got)
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
		{"cursor", "", "", false, []string{allowCursor}, []usage.Account{usage.NewAccount("cursor", "user_planted")}, "GetCurrentPeriodUsage GetPlanInfo GetHardLimit"},
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

// TestCloudAskedByTenAtOnce: one of them asks, and all have the answer.
func TestCloudAskedByTenAtOnce(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "robin", "", allowEditor)
	var all sync.WaitGroup
	got := make([]string, 10)
	for i := range got {
		all.Go(func() { got[i] = firstLine(b.fetch(once)) })
	}
	all.Wait()
	for _, line := range got {
		if line != "windsurf cloud windsurf server.codeium.com 0s" {
			t.Error(line)
		}
	}
	if asked := b.asked(new(int)); asked != "GetPlanStatus" {
		t.Errorf("asked %s", asked)
	}
}

// TestCloudAskerDied: its question counts, and there is no answer to it.
func TestCloudAskerDied(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "robin", "", allowEditor)
	dead := b.keptOf("windsurf")
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := dead.Get(ctx, func(kept.Last) bool { return true }, func(_ context.Context, l kept.Last) kept.Last {
		cancel()
		return l
	}); err != nil {
		t.Fatal(err)
	}
	if got := firstLine(b.fetch(once)); got != "windsurf cloud windsurf server.codeium.com timeout" {
		t.Error(got)
	}
}

// TestCloudCancelled: who goes away in mid-question blames nobody.
func TestCloudCancelled(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "robin", "", allowEditor)
	b.fail(simulated.FaultHang)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan []poll.Reading)
	go func() { ended <- b.fetching(b.salt)(ctx, once) }()
	for len(b.service.Requests()) == 0 && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-ended
	if last := b.keptOf("windsurf").Read(); last.Failed != nil || last.Asked.IsZero() {
		t.Errorf("kept %+v", last)
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

// TestFirstReset: of kept figures, the reset that a new question has to wait for.
func TestFirstReset(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	answer := func(daily, weekly time.Duration) []byte {
		return fmt.Appendf(nil, `{"userStatus":{"planStatus":{"dailyQuotaRemainingPercent":40,"dailyQuotaResetAtUnix":"%d",
			"weeklyQuotaRemainingPercent":50,"weeklyQuotaResetAtUnix":"%d"}}}`, at.Add(daily).Unix(), at.Add(weekly).Unix())
	}
	tests := []struct {
		name   string
		answer []byte
		want   time.Time
	}{
		{"none", nil, time.Time{}},
		{"no_figures", []byte(`{}`), time.Time{}},
		{"earlier_of_two", answer(time.Hour, 50*time.Hour), at.Add(time.Hour)},
		{"passed_just_before_the_answer", answer(-30*time.Second, 50*time.Hour), at.Add(-30 * time.Second)},
		{"passed_before", answer(-2*time.Minute, 50*time.Hour), at.Add(50 * time.Hour)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := firstReset(usage.Windsurf, kept.Last{Answer: tt.answer, At: at}); !got.Equal(tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}
