package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat/clean"
	"windsock/chat/clean/cleantest"
	"windsock/chat/touched"
	"windsock/chat/touched/touchedtest"
	pb "windsock/probe/languageserver"
	"windsock/probe/probetest"
	"windsock/probe/say"
)

// cleanRig runs the command over and over, with the same servers, files and state.
type cleanRig struct {
	target   clean.Target
	findErr  error
	stateDir string
	room     touchedtest.Room
	terminal bool
	// piped is the one of the streams that is no terminal, if terminal.
	piped   any
	columns string

	asked  []string // variants
	closed int
}

func newCleanRig(t *testing.T, codeium string, servers ...*cleantest.Server) *cleanRig {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	return &cleanRig{
		target: commandTarget(codeium, servers...), stateDir: dir, room: touchedtest.Room{Path: filepath.Join(dir, "test.db")}, columns: "80",
	}
}

// cleanRan is the result of a command line.
type cleanRan struct {
	out, errs string
	exit      int
	sentence  string
}

func (r *cleanRig) run(ctx context.Context, t *testing.T, stdin io.Reader, args ...string) cleanRan {
	t.Helper()
	c := &cleanCommand{
		CleanConfig: CleanConfig{
			Find: func(_ context.Context, variant string) (clean.Target, error) {
				r.asked = append(r.asked, variant)
				target := r.target
				target.Close = func() { r.closed++ }
				return target, r.findErr
			},
			Touched: touched.New(&r.room, r.stateDir, time.Now),
			Now:     func() time.Time { return cleantest.Now },
			PutAway: func(time.Duration) {},
		},
		console: console{
			terminal: func(stream any) bool { return r.terminal && (r.piped == nil || stream != r.piped) },
			lookup:   func(name string) (string, bool) { return r.columns, name == "COLUMNS" },
			environ:  []string{"TERM=dumb"},
		},
		location: time.FixedZone("CET", 3600),
	}
	cmd := newCleanCommand(c)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var out, errs strings.Builder
	cmd.SetArgs(append([]string{}, args...))
	cmd.SetIn(stdin)
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	ran := cleanRan{}
	if err := cmd.ExecuteContext(ctx); err != nil {
		ran.exit, ran.sentence = say.Exit(err), say.Sentence(err, err.Error())
	}
	ran.out, ran.errs = out.String(), errs.String()
	return ran
}

// aShop has a cascade for each thing that a plan can show.
func aShop(t *testing.T) (string, *cleantest.Server) {
	t.Helper()
	codeium := t.TempDir()
	cleantest.WriteCascade(t, codeium, "id-login", 21_400_000, cleantest.DaysAgo(96))
	cleantest.WriteCascade(t, codeium, "id-escape", 1_900, cleantest.DaysAgo(31))
	in := func(folder string) func(*pb.CascadeTrajectorySummary) {
		return func(s *pb.CascadeTrajectorySummary) {
			s.Workspaces = []*pb.CortexWorkspaceMetadata{{WorkspaceFolderAbsoluteUri: "file:///home/ada/" + folder}}
		}
	}
	titled := func(title string) func(*pb.CascadeTrajectorySummary) {
		return func(s *pb.CascadeTrajectorySummary) { s.Summary = title }
	}
	return codeium, &cleantest.Server{Cascades: cleantest.Listing{
		"id-login":  cleantest.Touched(96, titled("Fix the login flow"), in("shop")),
		"id-long":   cleantest.Touched(40, titled("Rewrite everything "+strings.Repeat("and everything else ", 9)), in("a-folder-with-a-very-long-name-indeed")),
		"id-escape": cleantest.Touched(30, titled("x"), func(s *pb.CascadeTrajectorySummary) { s.RenamedTitle = new("로그인\x1b[2J 고치기") }),
		"id-run":    cleantest.Touched(30, cleantest.Running),
		"id-done":   cleantest.Touched(30, cleantest.Archived),
		"id-hidden": cleantest.Touched(30, cleantest.Hidden),
		"id-recent": cleantest.Touched(3),
		"id-newest": cleantest.Touched(1),
		"id-when":   cleantest.Touched(1, cleantest.Untimed),
	}}
}

var shopArgs = []string{"--keep", "1"}

func TestCleanGolden(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		args  []string
		stdin string
		edit  func(*cleanRig, *cleantest.Server)
		exit  int
	}{
		{"dry_run", []string{"--dry-run"}, "", nil, 0},
		{"yes", []string{"--yes"}, "", nil, 0},
		{"narrow", []string{"--dry-run"}, "", func(r *cleanRig, _ *cleantest.Server) { r.columns = "48" }, 0},
		{"asked_yes", nil, "Y\n", func(r *cleanRig, _ *cleantest.Server) { r.terminal = true }, 0},
		{"asked_no", nil, "\n", func(r *cleanRig, _ *cleantest.Server) { r.terminal = true }, 0},
		{"asked_nothing", nil, "", func(r *cleanRig, _ *cleantest.Server) { r.terminal = true }, 0},
		{"asked_json", []string{"--json"}, "n\n", func(r *cleanRig, _ *cleantest.Server) { r.terminal = true }, 0},
		{"failures", []string{"-y"}, "", func(_ *cleanRig, s *cleantest.Server) {
			s.Refuse = map[string]error{"id-login": cleantest.ErrRefused, "id-escape": context.DeadlineExceeded}
		}, 1},
		{"no_archive", []string{"--yes"}, "", func(_ *cleanRig, s *cleantest.Server) { s.NoArchive = true }, 1},
		{"files_only", []string{"--yes"}, "", func(_ *cleanRig, s *cleantest.Server) { s.NoList = true }, 0},
		{"nothing_stale", []string{"--yes", "--older-than", "365"}, "", nil, 0},
		{"no_cascades", []string{"--yes"}, "", func(_ *cleanRig, s *cleantest.Server) { s.Cascades = cleantest.Listing{} }, 0},
		{"dry_run_json", []string{"--dry-run", "--json"}, "", nil, 0},
		{"no_cascades_json", []string{"--yes", "--json"}, "", func(_ *cleanRig, s *cleantest.Server) { s.Cascades = cleantest.Listing{} }, 0},
		{"not_running", []string{"--yes", "--json"}, "", func(r *cleanRig, _ *cleantest.Server) {
			r.findErr = &say.Error{What: "Windsurf is not running.", Exit: 3}
		}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			codeium, s := aShop(t)
			r := newCleanRig(t, codeium, s)
			if tt.edit != nil {
				tt.edit(r, s)
			}
			got := r.run(t.Context(), t, strings.NewReader(tt.stdin), append(tt.args, shopArgs...)...)
			if got.exit != tt.exit {
				t.Errorf("exit %d", got.exit)
			}
			text := got.out
			if got.errs != "" {
				text += "--- stderr\n" + strings.ReplaceAll(got.errs, "\x1b", "ESC")
			}
			if got.sentence != "" {
				text += "--- error\n" + got.sentence + "\n"
			}
			probetest.Golden(t, "clean/"+tt.name+".txt", []byte(text))
			if r.findErr == nil && r.closed != len(r.asked) {
				t.Errorf("closed %d times", r.closed)
			}
		})
	}
}

func TestCleanJSON(t *testing.T) {
	t.Parallel()
	codeium, s := aShop(t)
	s.Refuse = map[string]error{"id-login": cleantest.ErrRefused}
	s.Meanwhile = func(_ context.Context, id string) {
		if id == "id-escape" {
			cleantest.WriteCascade(t, codeium, id, 900, cleantest.Now)
		}
	}
	got := newCleanRig(t, codeium, s).run(t.Context(), t, strings.NewReader(""), append([]string{"--yes", "--json"}, shopArgs...)...)
	type object = map[string]any
	want := object{
		"schema": 1.0, "dry_run": false, "count": 3.0, "bytes": 21_401_900.0,
		"items": []any{
			object{"cascade_id": "id-login", "title": "Fix the login flow", "last_modified": "2025-10-30T10:00:00Z", "bytes": 21_400_000.0, "workspace": "shop"},
			object{
				"cascade_id": "id-long", "last_modified": "2025-12-25T10:00:00Z", "bytes": nil,
				"title":     "Rewrite everything " + strings.Repeat("and everything else ", 8) + "and everything else",
				"workspace": "a-folder-with-a-very-long-name-indeed",
			},
			object{"cascade_id": "id-escape", "title": "로그인 고치기", "last_modified": "2026-01-04T10:00:00Z", "bytes": 1_900.0, "workspace": ""},
		},
		"kept": object{
			"running": 1.0, "archived": 1.0, "hidden": 1.0, "newest": 1.0, "recent": 1.0,
			"unknown_time": 1.0, "unusable_id": 0.0, "changed": 0.0,
		},
		"archived":    []any{"id-long", "id-escape"},
		"failed":      []any{object{"cascade_id": "id-login", "message": "The server said no."}},
		"bytes_freed": 1_000.0,
	}
	var have object
	if err := json.Unmarshal([]byte(got.out), &have); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := "windsock: Fix the login flow (id-login) was not archived: The server said no.\n"; got.errs != want || got.exit != 1 || got.sentence != "" {
		t.Errorf("got %q, exit %d, %q", got.errs, got.exit, got.sentence)
	}
}

func TestCleanUsage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"no_terminal", nil, "There is no terminal to ask you on. Add --yes to go on without asking, or --dry-run to look only."},
		{"age", []string{"--yes", "--older-than", "2w"}, "--older-than takes 14d, 36h, or a number of days."},
		{"keep", []string{"--yes", "--keep", "-1"}, "--keep takes a number from 0 on."},
		{"undo_age", []string{"--yes", "--undo", "--older-than", "1"}, "--undo takes the whole last run back. Leave out --older-than, --keep and --dry-run."},
		{"undo_dry_run", []string{"--dry-run", "--undo"}, "--undo takes the whole last run back. Leave out --older-than, --keep and --dry-run."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newCleanRig(t, "")
			got := r.run(t.Context(), t, strings.NewReader("y\n"), tt.args...)
			if diff := cmp.Diff(cleanRan{exit: 2, sentence: tt.want}, got, cmp.AllowUnexported(cleanRan{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(r.asked) > 0 {
				t.Error("a server was looked for")
			}
		})
	}
}

// TestCleanNotNoted: if an undo would be impossible, the person learns that before the
// plan, and is not asked.
func TestCleanNotNoted(t *testing.T) {
	t.Parallel()
	codeium, s := aShop(t)
	r := newCleanRig(t, codeium, s)
	r.room.WriteErr = errors.New("the disk is full")
	r.terminal = true
	got := r.run(t.Context(), t, strings.NewReader("y\n"), shopArgs...)
	if got.exit != 1 || got.out+got.errs != "" || !strings.HasPrefix(got.sentence, "Windsock could not note what clean does") || len(s.Calls) > 0 {
		t.Errorf("got %+v, archived %v", got, s.Calls)
	}
	if got := r.run(t.Context(), t, strings.NewReader(""), "--dry-run"); got.exit != 0 {
		t.Errorf("dry run: %+v", got)
	}
}

func TestCleanUndoCommand(t *testing.T) {
	t.Parallel()
	codeium, s := aShop(t)
	r := newCleanRig(t, codeium, s)
	run := func(stdin string, args ...string) cleanRan {
		return r.run(t.Context(), t, strings.NewReader(stdin), args...)
	}
	expect := func(step string, got, want cleanRan) {
		t.Helper()
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(cleanRan{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step, diff)
		}
	}
	expect("at first", run("", "--undo", "--yes"), cleanRan{out: "There is nothing to undo.\n"})
	expect("at first, where nobody can be asked", run("", "--undo"), cleanRan{out: "There is nothing to undo.\n"})
	if _, err := os.Stat(r.stateDir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a look has made the state directory: %v", err)
	}
	run("", append([]string{"--yes"}, shopArgs...)...)

	expect("nobody can be asked", run("y\n", "--undo"), cleanRan{
		exit: 2, sentence: "There is no terminal to ask you on. Add --yes to go on without asking.",
	})
	r.terminal = true
	expect("declined", run("no\n", "--undo"), cleanRan{
		out: "Nothing was changed.\n", errs: "Put back 3 cascades of 2026-02-03 11:00 in Windsurf? [y/N] ",
	})
	r.terminal = false
	r.target.Variant = "windsurf-next"
	expect("another variant", run("", "--undo", "--yes", "--variant", "windsurf-next"), cleanRan{
		out: "There is nothing to undo in Windsurf: the last run was in windsurf.\n",
	})
	r.target.Variant = "windsurf"
	s.Refuse = map[string]error{"id-login": cleantest.ErrRefused}
	delete(s.Cascades, "id-long")
	expect("partly", run("", "--undo", "--yes"), cleanRan{
		out:  "1 cascade put back into the editor's list. 1 not there any more.\n",
		errs: "windsock: Fix the login flow (id-login) was not put back: The server said no.\n",
		exit: 1,
	})
	s.Refuse = nil
	expect("the rest", run("", "--undo", "--yes", "--json"), cleanRan{
		out: "{\n  \"schema\": 1,\n  \"restored\": [\n    \"id-login\"\n  ],\n  \"gone\": [],\n  \"failed\": []\n}\n",
	})
	expect("at last", run("", "--undo", "--yes", "--json"), cleanRan{
		out: "{\n  \"schema\": 1,\n  \"restored\": [],\n  \"gone\": [],\n  \"failed\": []\n}\n",
	})
	if diff := cmp.Diff([]string{"", "windsurf", "windsurf-next", "windsurf", "windsurf"}, r.asked); diff != "" {
		t.Errorf("variants (-want +got):\n%s", diff)
	}
}

func TestCleanInterrupted(t *testing.T) {
	t.Parallel()
	codeium, s := aShop(t)
	for i := range 20 {
		s.Cascades["more"+string(rune('a'+i))] = cleantest.Touched(20)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.Meanwhile = func(context.Context, string) { cancel() }
	r := newCleanRig(t, codeium, s)
	got := r.run(ctx, t, strings.NewReader(""), append([]string{"--yes", "--json"}, shopArgs...)...)
	var document clean.Document
	if err := json.Unmarshal([]byte(got.out), &document); err != nil {
		t.Fatal(err)
	}
	n := len(document.Archived)
	if got.exit != 130 || got.sentence != "" || n == 0 || n > 4 || len(document.Failed) > 0 ||
		!strings.HasPrefix(got.errs, "windsock: interrupted after ") || !strings.HasSuffix(got.errs, " of 23: windsock clean does the rest\n") {
		t.Errorf("got %+v", got)
	}
	s.Meanwhile = nil
	got = r.run(t.Context(), t, strings.NewReader(""), append([]string{"--yes", "--json"}, shopArgs...)...)
	if err := json.Unmarshal([]byte(got.out), &document); err != nil || len(document.Archived) != 23-n || got.exit != 0 {
		t.Errorf("second run: %+v, %v", got, err)
	}
}

// TestCleanInterruptedAtItsEnd: who presses Ctrl-C in the last one has it all done.
func TestCleanInterruptedAtItsEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &cleantest.Server{Cascades: cleantest.Listing{"a": cleantest.Touched(30)}, Meanwhile: func(context.Context, string) { cancel() }}
	r := newCleanRig(t, "", s)
	got := r.run(ctx, t, strings.NewReader(""), "--yes", "--keep", "0")
	if got.exit != 0 || got.errs != "" || !strings.Contains(got.out, "Archived 1 cascade.") {
		t.Errorf("clean: %+v", got)
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	want := cleanRan{out: "1 cascade put back into the editor's list.\n"}
	if diff := cmp.Diff(want, r.run(ctx, t, strings.NewReader(""), "--undo", "--yes"), cmp.AllowUnexported(cleanRan{})); diff != "" {
		t.Errorf("undo (-want +got):\n%s", diff)
	}
}

// TestCleanNobodyAnswers: a terminal that can only show the question does not count.
func TestCleanNobodyAnswers(t *testing.T) {
	t.Parallel()
	stdin := strings.NewReader("y\n")
	r := newCleanRig(t, "")
	r.terminal, r.piped = true, stdin
	if got := r.run(t.Context(), t, stdin); got.exit != 2 || len(r.asked) > 0 {
		t.Errorf("got %+v", got)
	}
}

// TestCleanInterruptedQuestion: who walks away from the question changes nothing.
func TestCleanInterruptedQuestion(t *testing.T) {
	t.Parallel()
	codeium, s := aShop(t)
	r := newCleanRig(t, codeium, s)
	r.terminal = true
	ctx, cancel := context.WithCancel(t.Context())
	silent, typist := io.Pipe()
	defer typist.Close()
	got := r.run(ctx, t, readerFunc(func(p []byte) (int, error) {
		cancel()
		return silent.Read(p)
	}), shopArgs...)
	if got.exit != 130 || got.sentence != "" || len(s.Calls) > 0 || !strings.HasSuffix(got.errs, "[y/N] \nNothing was changed.\n") {
		t.Errorf("got %+v, archived %v", got, s.Calls)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestCleanManyRows(t *testing.T) {
	t.Parallel()
	l := cleantest.Listing{}
	for i := range 1234 {
		l["c"+string(rune('a'+i%26))+strings.Repeat("x", i/26)] = cleantest.Touched(30)
	}
	r := newCleanRig(t, "", &cleantest.Server{Cascades: l})
	r.terminal = true
	asked := r.run(t.Context(), t, strings.NewReader("\n"), "--keep", "0")
	if !strings.Contains(asked.out, "\n… and 1,214 more cascades, which windsock clean --dry-run lists.\n") {
		t.Errorf("got %s", asked.out)
	}
	if all := r.run(t.Context(), t, strings.NewReader(""), "--keep", "0", "--dry-run"); strings.Count(all.out, "30 days old") != 1234 {
		t.Errorf("got %s", all.out)
	}
}

func commandTarget(codeium string, servers ...*cleantest.Server) clean.Target {
	target := clean.Target{Variant: "windsurf", App: "Windsurf", CodeiumDir: codeium}
	for _, s := range servers {
		target.Servers = append(target.Servers, s)
	}
	return target
}
