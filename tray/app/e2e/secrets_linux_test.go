package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"windsock/probe/simulator"
	"windsock/probe/simulator/cloud"
	"windsock/probe/simulator/simtest"
)

// secretCommands are all commands for a person. SAVED is a file to save to, ANSWER one
// with an answer. A command that does not end is interrupted once it has written
// something. models and ask are missing: their purpose is to show the server's text.
var secretCommands = []struct {
	args   string
	goesOn bool
	quick  bool // is enough of a check where every command takes long
	shows  bool // has titles, workspaces or labels on stdout, where they belong
}{
	{args: "status", quick: true},
	{args: "status --json --save SAVED", quick: true},
	{args: "status --format waybar"},
	{args: "status --format xbar"},
	{args: "status --format tmux"},
	{args: "status --format prometheus --output SAVED"},
	{args: "status --save -"},
	{args: "status --cached --save SAVED"},
	{args: "status --variant windsurf-next --cached"},
	{args: "status --from ANSWER --json"},
	{args: "status --from ANSWER --save SAVED"},
	{args: "status --watch --json --interval 10s", goesOn: true},
	{args: "status --watch --format waybar --interval 10s", goesOn: true},
	{args: "--headless", goesOn: true, quick: true},
	{args: "history"},
	{args: "history --since all --json"},
	{args: "history --since all --daily --csv"},
	{args: "spend", quick: true},
	{args: "spend --by day --since all --json"},
	{args: "spend --by model --csv"},
	{args: "spend", quick: true},
	{args: "spend --json --since all"},
	{args: "spend --by day --csv"},
	{args: "spend --by cascade", shows: true},
	{args: "spend --by workspace --json", shows: true},
	{args: "config --check"},
	{args: "doctor", quick: true},
	{args: "doctor --json", quick: true},
	{args: "cloud"},
	{args: "cloud --json"},
	{args: "models --all", shows: true},
	{args: "clean --dry-run"},
	{args: "clean --yes --json"},
	{args: "antigravity install --yes"},
	{args: "antigravity uninstall"},
	{args: "status --product antigravity --json"},
	{args: "antigravity status-line"},
	{args: "status --product cursor --json --save SAVED"},
	{args: "cloud", quick: true},
	{args: "cloud --json"},
	{args: "cloud deny devin-cli"},
	{args: "cloud allow devin-cli --yes"},
	{args: "cloud allow cursor --yes"},
	{args: "status --json"},
	{args: "version"},
}

// TestSecretCommands: every command is in secretCommands, or here with the reason.
func TestSecretCommands(t *testing.T) {
	t.Parallel()
	apart := map[string]string{
		"ask": "TestImagesStayInMemory", "prompt": "needs a browser", "serve": "TestImagesStayInMemory",
		"demo": "knows nobody", "completion": "reads nothing", "help": "reads nothing",
	}
	for _, c := range secretCommands {
		apart[strings.Fields(c.args)[0]] = "is there"
	}
	windsock := filepath.Join(t.TempDir(), "windsock")
	install(t, windsock)
	cmd := exec.Command(windsock, "__complete", "")
	cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(windsock))
	listed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for line := range strings.Lines(string(listed)) {
		name, _, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		if commands++; apart[name] == "" {
			t.Errorf("windsock %s is not in secretCommands", name)
		}
	}
	if commands < 10 {
		t.Errorf("found %d commands only:\n%s", commands, listed)
	}
}

// agyPayload is what agy hands to its status line, with the secrets in all that it tells
// beside the figures.
var agyPayload = func() string {
	text, err := json.Marshal(map[string]any{
		"email": secretEmail, "cwd": secretNamed("path"), "conversation_title": plantedText, "transcript_path": secretNamed("path"),
		"workspace": map[string]any{"current_dir": secretNamed("workspace")}, "session_id": secretNamed("csrf token"), "plan_tier": "Google AI Pro",
		"quota": map[string]any{
			"gemini-5h": map[string]any{"remaining_fraction": 0.5, "reset_time": secretName, secretName: secretName},
			secretEmail: map[string]any{"remaining_fraction": secretEmail}, "3p-5h": secretEmail,
		},
	})
	if err != nil {
		return err.Error()
	}
	return string(text)
}()

// agyAnswer is what agy answers to /usage, likewise.
var agyAnswer = func() string {
	bucket := map[string]any{
		"id": "gemini-5h", "window": secretName, "remaining_fraction": 0.5, "reset_time": secretEmail, "name": "Five Hour Limit",
		"description": plantedText, secretName: secretName,
	}
	text, err := json.Marshal(map[string]any{
		"status": "SUCCESS", "conversation_id": secretNamed("csrf token"), "response": plantedText, "email": secretEmail,
		"command": map[string]any{"name": secretName, "data": map[string]any{"email": secretEmail, "groups": []any{map[string]any{
			"name": plantedText, "description": plantedText, "buckets": []any{bucket, map[string]any{"id": secretEmail}},
		}}}},
	})
	if err != nil {
		return err.Error()
	}
	return string(text)
}()

// withAgy puts an agy there that prints that, and allows it to be run.
func (p *planted) withAgy(t *testing.T, prints string) {
	t.Helper()
	output := filepath.Join(p.dir, "tmp", "agy-prints")
	script := "#!/bin/sh\n/bin/cat '" + output + "'\n/bin/cat '" + output + "' >&2\n"
	err := errors.Join(os.WriteFile(output, []byte(prints), 0o600), os.WriteFile(filepath.Join(p.dir, "bin", "agy"), []byte(script), 0o700))
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, ".config/windsock/config.toml", "# "+plantedText+"\n[log]\nlevel = \"debug\"\n[antigravity]\nask_agy = true\n")
}

// dumpAnswer is an error as Connect has it, with the secrets and the request in it.
func dumpAnswer(status, code string) talkative {
	body, err := json.Marshal(map[string]any{
		"code": code, "message": plantedText + " " + requestMark,
		"details": []any{map[string]any{
			"type": plantedText, "value": base64.StdEncoding.EncodeToString([]byte(plantedText)), "debug": plantedText,
		}},
	})
	if err != nil {
		return talkative{Raw: err.Error()}
	}
	return talkative{
		Status: status + " " + plantedText + " " + requestMark, Body: string(body),
		Header: map[string]string{"X-Note": plantedText, "Set-Cookie": "note=" + requestMark, "Trailer-Note": requestMark},
	}
}

// withStatus is a server that answers that to GetUserStatus.
func withStatus(a talkative) map[string]talkative {
	return map[string]talkative{"GetUserStatus": a}
}

// TestSecretsStayIn runs every command in every state, with secrets planted in every
// source, and searches for them in everything that is written: the outputs, the log,
// the history, every other file, and the command lines of children.
//
// There are no exemptions. The test omits the name of a plan, which is there to be
// shown and which only --save treats as personal (TestAnonymize); `windsock config`
// without --check and `config --init`, whose only purpose is to show a path; and the
// planted files themselves.
func TestSecretsStayIn(t *testing.T) {
	t.Parallel()
	garbage := map[string]string{"Content-Type": "text/html"}
	quoted, err := json.Marshal(plantedText)
	if err != nil {
		t.Fatal(err)
	}
	states := []struct {
		name string
		// says is a part of what status says, which shows that the state is the one.
		says string
		// One of answers and config makes the server; without both, none runs.
		answers map[string]talkative
		config  *simulator.Config
		token   simulator.TokenStyle
		slow    bool
		arrange func(t *testing.T, p *planted)
		// services are the answers of the makers' services to a person who has allowed
		// them, without an editor.
		services map[string]talkative
		// spends is a part of what spend says, if that matters.
		spends string
	}{
		{name: "works", says: "3 % left", answers: withStatus(talkative{Body: plantedStatus(t, nil)})},
		{name: "not_running", says: "Windsurf (Devin Desktop) is not running"},
		{name: "cascades_are_told", says: "3 % left", answers: func() map[string]talkative {
			answers := withStatus(talkative{Body: plantedStatus(t, nil)})
			maps.Copy(answers, plantedCascades(t, ""))
			return answers
		}(), spends: "2.74"},
		{name: "cascades_are_refused", says: "3 % left", answers: plantedSpending(t, "GetAllCascadeTrajectories", dumpAnswer("500", "internal"))},
		{name: "cascades_are_a_page", says: "3 % left", answers: plantedSpending(t, "GetAllCascadeTrajectories", talkative{Body: "<title>" + plantedText + requestMark})},
		{name: "steps_are_refused", says: "3 % left", answers: plantedSpending(t, "GetCascadeTrajectorySteps", dumpAnswer("500", "unknown")), spends: "“A title” could not be read"},
		{name: "steps_are_no_json", says: "3 % left", answers: plantedSpending(t, "GetCascadeTrajectorySteps", talkative{Body: `{"steps":[{"note":` + string(quoted)})},
		{name: "steps_are_no_http", says: "3 % left", answers: plantedSpending(t, "GetCascadeTrajectorySteps", talkative{Raw: plantedText + requestMark + "\r\n\r\n"})},
		{name: "unreadable_figures", says: "could not be read", answers: withStatus(talkative{Body: plantedStatus(t, func(_, plan map[string]any) {
			for _, field := range []string{
				"dailyQuotaRemainingPercent", "weeklyQuotaRemainingPercent", "dailyQuotaResetAtUnix", "planStart", "planEnd",
				"overageBalanceMicros", "gracePeriodStatus", "gracePeriodEnd", "wasReducedByOrphanedUsage",
			} {
				plan[field] = plantedText
			}
			plan["topUpStatus"] = map[string]any{"topUpEnabled": plantedText}
			plan["planInfo"] = map[string]any{"planName": 1, "teamsTier": plantedText, "billingStrategy": "quota", "hideDailyQuota": plantedText}
		})})},
		{name: "no_figures", says: "names no credits and no quota", answers: withStatus(talkative{Body: plantedStatus(t, func(_, plan map[string]any) { clear(plan) })})},
		{name: "no_plan", says: "says nothing about the plan", answers: withStatus(talkative{Body: plantedStatus(t, func(root, _ map[string]any) { delete(root["userStatus"].(map[string]any), "planStatus") })})},
		{name: "answer_is_a_text", says: "not a JSON object", answers: withStatus(talkative{Body: string(quoted)})},
		{name: "answer_is_cut_off", says: "not a JSON object", answers: withStatus(talkative{Body: `{"userStatus":{"name":` + string(quoted)})},
		{name: "answer_is_no_json", says: "not a JSON object", answers: withStatus(talkative{Body: "<title>" + plantedText + requestMark})},
		{name: "answer_is_of_another_type", says: "no Connect answer", answers: withStatus(talkative{Header: map[string]string{"Content-Type": plantedText}, Body: plantedText})},
		{name: "answer_is_a_page", says: "no Connect answer", answers: withStatus(talkative{Status: "404 " + plantedText, Header: garbage, Body: plantedText + requestMark})},
		{name: "answer_leads_elsewhere", says: "cannot be used", answers: withStatus(talkative{
			Status: "302 " + plantedText, Header: map[string]string{"Location": "http://127.0.0.1:9/" + secretNamed("path") + "?" + secretTail},
		})},
		{name: "answer_is_no_http", says: "cannot be used", answers: withStatus(talkative{Raw: plantedText + requestMark + "\r\n\r\n"})},
		{name: "answer_has_bad_headers", says: "cannot be used", answers: withStatus(talkative{Raw: "HTTP/1.1 200 OK\r\n" + plantedText + requestMark + "\r\n\r\n"})},
		{name: "answer_has_a_bad_length", says: "cannot be used", answers: withStatus(talkative{Raw: "HTTP/1.1 200 OK\r\nContent-Length: " + plantedText + "\r\n\r\n"})},
		{name: "answer_is_compressed_oddly", says: "cannot be used", answers: withStatus(talkative{Header: map[string]string{"Content-Encoding": plantedText}, Body: plantedText})},
		{name: "error_internal", says: "the error internal", answers: withStatus(dumpAnswer("500", "internal"))},
		{name: "error_unknown_to_connect", says: "cannot be used", answers: withStatus(dumpAnswer("500", plantedText))},
		{name: "error_unauthenticated", says: "not signed in", answers: withStatus(dumpAnswer("401", "unauthenticated"))},
		{name: "error_permission_denied", says: "refuses the access token", answers: withStatus(dumpAnswer("403", "permission_denied"))},
		{name: "error_unavailable", says: "the error unavailable", answers: withStatus(dumpAnswer("503", "unavailable")), slow: true},
		{name: "handshake_refuses", says: "refuses the access token", answers: map[string]talkative{"GetUnleashData": dumpAnswer("403", "permission_denied")}},
		{name: "handshake_is_a_page", says: "does not answer", answers: map[string]talkative{"GetUnleashData": {Status: "404 " + plantedText, Header: garbage, Body: plantedText + requestMark}}, slow: true},
		{name: "handshake_is_no_http", says: "does not answer", answers: map[string]talkative{"GetUnleashData": {Raw: plantedText + requestMark + "\r\n\r\n"}}, slow: true},
		{name: "no_token", says: "shows no access token", config: &simulator.Config{}, token: simulator.TokenNone},
		{name: "not_signed_in", says: "not signed in", answers: withStatus(dumpAnswer("500", "unknown")), arrange: func(t *testing.T, p *planted) {
			t.Helper()
			p.remove(t, ".config/Windsurf", ".config/Devin", ".config/Windsurf - Next", ".codeium")
			p.signIn(t, "Windsurf", "")
		}},
		{name: "sign_in_is_damaged", says: "not signed in", answers: withStatus(dumpAnswer("500", "unknown")), arrange: func(t *testing.T, p *planted) {
			t.Helper()
			p.remove(t, ".config/Devin", ".codeium")
			p.rows(t, "Windsurf", simtest.Row{Key: "windsurfAuthStatus", Value: `{"apiKey":` + string(quoted)},
				simtest.Row{Key: "windsurf.settings.cachedPlanInfo", Value: plantedText})
		}},
		{name: "database_is_corrupt", says: "is not running", arrange: func(t *testing.T, p *planted) {
			t.Helper()
			p.remove(t, ".config/Devin", ".codeium", ".config/Windsurf - Next")
			p.write(t, ".config/Windsurf/User/globalStorage/state.vscdb", plantedText)
		}},
		{name: "database_is_half_there", says: "not signed in", answers: withStatus(dumpAnswer("500", "unknown")), arrange: func(t *testing.T, p *planted) {
			t.Helper()
			p.remove(t, ".config/Devin", ".codeium", ".config/Windsurf - Next")
			name := filepath.Join(p.home, ".config/Windsurf/User/globalStorage/state.vscdb")
			if err := os.Truncate(name, 5000); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "database_is_locked", says: "3 % left", answers: withStatus(talkative{Body: plantedStatus(t, nil)}), arrange: func(t *testing.T, p *planted) {
			t.Helper()
			lockDatabase(t, filepath.Join(p.home, ".config/Windsurf/User/globalStorage/state.vscdb"))
		}},
		{name: "config_is_no_toml", says: "config.toml", answers: withStatus(talkative{Body: plantedStatus(t, nil)}), arrange: func(t *testing.T, p *planted) {
			t.Helper()
			p.write(t, ".config/windsock/config.toml", plantedText+"\n[usage\n")
		}},
		{name: "config_has_odd_values", says: "config.toml", answers: withStatus(talkative{Body: plantedStatus(t, nil)}), arrange: func(t *testing.T, p *planted) {
			t.Helper()
			p.write(t, ".config/windsock/config.toml", fmt.Sprintf("[usage]\nvariant = %s\ninterval = %[1]s\n[log]\nlevel = %[1]s\n[alerts]\nleft = %[1]s\n", quoted))
		}},
		{name: "config_is_a_directory", says: "config.toml", answers: withStatus(talkative{Body: plantedStatus(t, nil)}), arrange: func(t *testing.T, p *planted) {
			t.Helper()
			p.remove(t, ".config/windsock")
			p.write(t, ".config/windsock/config.toml/"+secretTail, plantedText)
		}},
		{name: "agy_answers", says: "50 % left", arrange: func(t *testing.T, p *planted) {
			t.Helper()
			p.withAgy(t, plantedText+"\n"+agyAnswer+"\n"+plantedText+"\n")
		}},
		{name: "agy_fails", says: "gave no figures", arrange: func(t *testing.T, p *planted) {
			t.Helper()
			p.withAgy(t, plantedText)
		}},
		{name: "history_is_damaged", says: "3 % left", answers: withStatus(talkative{Body: plantedStatus(t, nil)}), arrange: func(t *testing.T, p *planted) {
			t.Helper()
			p.write(t, ".local/state/windsock/history.db", strings.Repeat("no database ", 999))
		}},
	}
	for name, services := range plantedServices(t) {
		states = append(states, states[1])
		s := &states[len(states)-1]
		s.name, s.says, s.services = "services_"+name, services.says, services.answers
	}
	for _, fault := range simulator.Faults() {
		states = append(states, states[0])
		s := &states[len(states)-1]
		s.name, s.says, s.answers, s.config = "fault_"+string(fault), "windsock: ", nil, &simulator.Config{Fault: fault, SlowStart: time.Hour}
		s.slow = slices.Contains([]simulator.Fault{simulator.FaultHang, simulator.FaultSlowStart, simulator.FaultHuge, simulator.FaultWrongToken}, fault)
	}
	for _, tt := range states {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := plant(t)
			if p.talk = tt.services; p.talk != nil {
				p.write(t, ".config/windsock/config.toml", "# "+plantedText+"\n[log]\nlevel = \"debug\"\n[cloud]\nallow = [\"devin-cli@"+devinHost+"\", \"cursor@"+cursorHost+"\"]\n")
			}
			switch {
			case tt.config != nil:
				p.startSimulator(t, *tt.config, tt.token)
			case tt.answers != nil:
				p.pids = []int{startTalkative(t, p.root, tt.answers)}
			}
			if tt.arrange != nil {
				tt.arrange(t, p)
			}
			p.settle(t)
			var commands sync.WaitGroup
			outputs := make([]string, len(secretCommands))
			for i, c := range secretCommands {
				if tt.slow && !c.quick {
					continue
				}
				run := func() { outputs[i] = p.run(t, i, c.args, c.goesOn, c.shows) }
				if tt.slow {
					commands.Go(run)
				} else {
					run()
				}
			}
			commands.Wait()
			p.check(t, outputs)
			if !strings.Contains(strings.Join(strings.Fields(outputs[0]), " "), tt.says) {
				t.Errorf("status does not say %q: %s", tt.says, outputs[0])
			}
			if !slices.ContainsFunc(outputs, func(output string) bool { return strings.Contains(output, tt.spends) }) {
				t.Errorf("spend does not say %q: %s", tt.spends, strings.Join(outputs, "\n"))
			}
		})
	}
}

// planted is a person's machine with secrets all over it.
type planted struct {
	dir, root, home string
	program         string
	scanner         scanner
	pids            []int
	// services are those of the makers. They answer with talk by the method's name.
	services *cloud.Server
	talk     map[string]talkative
	// before are the files that were there before windsock ran.
	before map[string]bool
}

func plant(t *testing.T) *planted {
	t.Helper()
	dir := t.TempDir()
	p := &planted{dir: dir, root: filepath.Join(dir, "root"), home: filepath.Join(dir, "home", secretNamed("first name in the way of a login"))}
	p.scanner = newScanner(append(slices.Clone(secrets), secret{name: "home", text: p.home}))
	p.program = filepath.Join(dir, "bin", "windsock")
	install(t, p.program)
	for _, dir := range []string{p.home, p.root, filepath.Join(dir, "run"), filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// The programs that windsock may start report their command lines.
	for _, name := range []string{"notify-send", "kdialog", "xdg-open", "gdbus", "dbus-launch", "dbus-send"} {
		script := "#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\" >>'" + filepath.Join(dir, "tmp", "children") + "'\n"
		if err := os.WriteFile(filepath.Join(dir, "bin", name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.signIn(t, "Windsurf", secretNamed("key, session"))
	p.signIn(t, "Devin", secretNamed("key, self-serve"))
	p.signIn(t, "Windsurf - Next", secretNamed("key, team"))
	p.write(t, ".codeium/config.json", `{"apiKey":"`+secretNamed("key, legacy")+`","note":"`+plantedText+`"}`)
	p.write(t, ".config/windsock/config.toml", "# "+plantedText+"\n[log]\nlevel = \"debug\"\n")
	p.write(t, "answer.json", plantedStatus(t, nil))
	p.withServices(t)
	return p
}

func (p *planted) write(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join(p.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p *planted) remove(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(p.home, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// signIn writes an editor's database with a key, the caches, and other rows.
func (p *planted) signIn(t *testing.T, app, key string) {
	t.Helper()
	auth, err := json.Marshal(map[string]any{
		"apiKey": key, "note": plantedText, "userStatusProtoBinaryBase64": base64.StdEncoding.EncodeToString(plantedCache(t)),
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]any{
		"planName": "Pro", "note": plantedText, "billingStrategy": plantedText, "dailyRemainingPercent": plantedText, "remainingMessages": 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	p.rows(t, app, simtest.Row{Key: "windsurfAuthStatus", Value: string(auth)},
		simtest.Row{Key: "windsurf.reactSettings.cachedPlanInfoData:" + secretNamed("user's ID"), Value: string(data)},
		simtest.Row{Key: "windsurf.settings.cachedPlanInfo", Value: string(data)})
}

func (p *planted) rows(t *testing.T, app string, rows ...simtest.Row) {
	t.Helper()
	rows = append(rows, simtest.Row{Key: "codeium.windsurf", Value: plantedText}, simtest.Row{Key: plantedText, Value: plantedText})
	if err := simtest.SignIn(filepath.Join(p.home, ".config", app), simtest.Auth{Rows: rows}); err != nil {
		t.Fatal(err)
	}
}

func (p *planted) startSimulator(t *testing.T, c simulator.Config, style simulator.TokenStyle) {
	t.Helper()
	c.Token = secretNamed("csrf token")
	server := simtest.Start(t, simulator.Options{
		Root: p.root, IDEName: "windsurf", App: "usr/share/windsurf", Token: style, Args: plantedArgs(), Env: plantedEnv(), Config: c,
	})
	p.pids = server.PIDs()
}

// settle notes the present files.
func (p *planted) settle(t *testing.T) {
	t.Helper()
	var pids []string
	for _, pid := range p.pids {
		pids = append(pids, strconv.Itoa(pid))
	}
	if err := os.WriteFile(filepath.Join(p.dir, "pids"), []byte(strings.Join(pids, " ")), 0o600); err != nil {
		t.Fatal(err)
	}
	p.before = map[string]bool{}
	p.files(t, func(name string) { p.before[name] = true })
}

func (p *planted) files(t *testing.T, visit func(name string)) {
	t.Helper()
	err := filepath.WalkDir(p.dir, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !d.IsDir() {
			visit(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a command and returns its output, with the command lines of its children;
// that of one that shows titles without stdout.
func (p *planted) run(t *testing.T, i int, line string, goesOn, shows bool) string {
	t.Helper()
	saved := filepath.Join(p.dir, "tmp", fmt.Sprintf("saved-%d.json", i))
	args := strings.Fields(line)
	for j, arg := range args {
		args[j] = map[string]string{"SAVED": saved, "ANSWER": filepath.Join(p.home, "answer.json")}[arg]
		if args[j] == "" {
			args[j] = arg
		}
	}
	var output lockedBuffer
	cmd := exec.Command(p.program, args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = &output, &output, p.home
	if shows {
		cmd.Stdout = nil
	}
	cmd.Env = []string{
		"HOME=" + p.home, "XDG_RUNTIME_DIR=" + filepath.Join(p.dir, "run"), "TMPDIR=" + filepath.Join(p.dir, "tmp"),
		"USER=" + secretNamed("first name in the way of a login"), "LOGNAME=" + secretNamed("first name in the way of a login"),
		"PATH=" + filepath.Join(p.dir, "bin"), "TZ=UTC", // nothing else is started by its name
		pidsFile + "=" + filepath.Join(p.dir, "pids"), testInterval + "=1s",
		"HTTPS_PROXY=" + p.services.ProxyURL(), "SSL_CERT_FILE=" + filepath.Join(p.dir, "tmp", "root.pem"),
	}
	if line == "antigravity status-line" {
		cmd.Stdin = strings.NewReader(agyPayload)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return ""
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ends is other tests' concern
		close(ended)
	}()
	children := map[string]bool{}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(patience)
	interrupted := time.Time{}
	for running := true; running; {
		select {
		case <-ended:
			running = false
		case now := <-tick.C:
			noteChildren(cmd.Process.Pid, children)
			said := output.String()
			had := strings.Contains(said, "\n") && !strings.Contains(line, "headless") ||
				strings.Contains(said, "figures") || strings.Contains(said, "no history")
			switch {
			case goesOn && had && interrupted.IsZero():
				interrupted = now.Add(300 * time.Millisecond) // for what follows upon the figures
			case goesOn && !interrupted.IsZero() && now.After(interrupted):
				_ = cmd.Process.Signal(syscall.SIGINT)
			}
			if now.After(deadline) {
				t.Errorf("windsock %s goes on: %s", line, said)
				_ = cmd.Process.Kill()
				<-ended
				running = false
			}
		}
	}
	for child := range children {
		_, _ = output.Write([]byte("\nchild: " + child))
	}
	return output.String()
}

// noteChildren notes the command lines of a process's children.
func noteChildren(pid int, seen map[string]bool) {
	tasks := fmt.Sprintf("/proc/%d/task", pid)
	threads, _ := os.ReadDir(tasks) // none for a process that has just ended
	for _, thread := range threads {
		pids, _ := os.ReadFile(filepath.Join(tasks, thread.Name(), "children"))
		for child := range strings.FieldsSeq(string(pids)) {
			if argv, err := os.ReadFile("/proc/" + child + "/cmdline"); err == nil {
				seen[string(argv)] = true
			}
		}
	}
}

// check looks through the outputs and through every file that is new.
func (p *planted) check(t *testing.T, outputs []string) {
	t.Helper()
	for i, output := range outputs {
		if found := p.scanner.scan([]byte(output)); found != nil {
			t.Errorf("windsock %s tells %q:\n%.3000s", secretCommands[i].args, found, output)
		}
	}
	logged := false
	p.files(t, func(name string) {
		if p.before[name] && !strings.HasSuffix(name, "history.db") {
			return
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		logged = logged || filepath.Base(name) == "windsock.log" && bytes.Contains(text, []byte("figures"))
		short, _ := filepath.Rel(p.home, name)
		if found := p.scanner.scan(append([]byte(filepath.Base(name)+"\n"), text...)); found != nil {
			t.Errorf("%s has in it %q:\n%.3000q", short, found, text)
		}
	})
	if !logged {
		t.Error("the app has logged nothing of figures")
	}
}

// lockedBuffer is a buffer that is read while it is written to.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer // guarded by mu
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
