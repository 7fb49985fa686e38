package simulator

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
)

// cascadeFiles are the sizes of the cascade files below a codeium directory.
func cascadeFiles(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "cascade"))
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		id, ok := strings.CutSuffix(entry.Name(), ".pb")
		if !ok {
			t.Errorf("a stray file: %s", entry.Name())
		}
		sizes[id] = info.Size()
	}
	return sizes
}

// listed are the summaries of a server.
func listed(t *testing.T, s *Server) map[string]any {
	t.Helper()
	all, _ := call(t, s, "GetAllCascadeTrajectories", "t", "{}").fields(t)["trajectorySummaries"].(map[string]any)
	return all
}

func archive(t *testing.T, s *Server, id, more string) answer {
	t.Helper()
	return call(t, s, "ArchiveCascadeTrajectory", "t", fmt.Sprintf(`{"cascadeId":%q%s}`, id, more))
}

// Only true archives, which shrinks the file. false or a missing field clears the mark,
// and does not let the file grow.
func TestArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, Config{Token: "t", At: testTime, Cascade: quick(Cascade{Dir: dir, FileSize: 160_000})})
	id := open(t, s)
	if got := cascadeFiles(t, dir); !cmp.Equal(got, map[string]int64{id: 2000}) {
		t.Errorf("files at the start: %v", got)
	}
	call(t, s, "SendUserCascadeMessage", "t", prompt(id, model, "hello")).fields(t)
	finish(t, s, id)
	type state struct {
		archived any
		size     int64
	}
	for _, tt := range []struct {
		more string
		want state
	}{
		{"", state{nil, 160_000}},
		{`,"isArchived":true`, state{true, 2000}},
		{`,"isArchived":true`, state{true, 2000}},
		{`,"isArchived":false`, state{nil, 2000}},
		{`,"is_archived":true`, state{true, 2000}},
		{"", state{nil, 2000}},
	} {
		if got := archive(t, s, id, tt.more); got.Body != "{}" {
			t.Fatalf("%s: %d %s", tt.more, got.Status, got.Body)
		}
		summary := listed(t, s)[id].(map[string]any)
		got := state{summary["isArchived"], cascadeFiles(t, dir)[id]}
		if got != tt.want {
			t.Errorf("%q: %+v, want %+v", tt.more, got, tt.want)
		}
	}
	if got := archive(t, s, "none", `,"isArchived":true`).failure(t); got != (answer{404, "not_found", `cascade "none" not found`}) {
		t.Errorf("unknown cascade: %v", got)
	}
	want := map[string]any{
		"summary": "hello", "stepCount": 4.0, "status": "CASCADE_RUN_STATUS_IDLE",
		"createdTime": "2026-02-03T10:00:00Z", "lastModifiedTime": "2026-02-03T10:00:00Z", "lastUserInputTime": "2026-02-03T10:00:00Z",
		"workspaces": []any{map[string]any{
			"workspaceFolderAbsoluteUri": "file:///home/robin/src/windsock", "gitRootAbsoluteUri": "file:///home/robin/src/windsock", "branchName": "main",
		}},
		"lastGeneratorModelUid": model, "trajectoryType": "CORTEX_TRAJECTORY_TYPE_CASCADE", "trajectorySource": "CORTEX_TRAJECTORY_SOURCE_CASCADE_CLIENT",
	}
	summary := listed(t, s)[id].(map[string]any)
	delete(summary, "trajectoryId")
	if diff := cmp.Diff(want, summary); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	info, err := os.Stat(filepath.Join(dir, "cascade", id+".pb"))
	if err != nil || !info.ModTime().Equal(testTime) {
		t.Errorf("the file is of %v, %v", info.ModTime(), err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "cascade", id+".pb"))
	if err != nil || strings.Contains(string(content), "hello") {
		t.Errorf("the file can be read: %v", err)
	}
}

// Two servers share a directory: each knows the cascades from before its start, and its
// own. A turn runs in one of them only.
func TestSharedDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := Config{Token: "t", Cascade: quick(Cascade{Dir: dir, PanelReady: true})}
	cfg.Cascade.Tick = 20 * time.Millisecond
	a := start(t, cfg)
	early := open(t, a)
	call(t, a, "SendUserCascadeMessage", "t", prompt(early, model, "turn:slow")).fields(t)
	probetest.Eventually(t, "the turn", func() bool { return statusOf(t, a, early) == "CASCADE_RUN_STATUS_RUNNING" })

	b := start(t, cfg)
	late := open(t, a)
	call(t, a, "SendUserCascadeMessage", "t", prompt(late, model, "turn:echo late")).fields(t)
	finish(t, a, late)
	if got := statusOf(t, b, early); got != "CASCADE_RUN_STATUS_IDLE" {
		t.Errorf("in the other server: %s", got)
	}
	if _, ok := listed(t, b)[late]; ok || len(listed(t, a)) != 2 {
		t.Error("the other server knows of a later cascade")
	}
	if got := archive(t, b, late, `,"isArchived":true`).failure(t); got.Type != "not_found" {
		t.Errorf("archived by the other server: %v", got)
	}
	archive(t, b, early, `,"isArchived":true`).fields(t)
	call(t, a, "CancelCascadeInvocation", "t", of(early)).fields(t)

	c := start(t, cfg)
	if summary, _ := listed(t, c)[early].(map[string]any); summary["isArchived"] != true {
		t.Errorf("after a restart: %v", summary)
	}
	for _, id := range []string{early, late} {
		if diff := cmp.Diff(transcriptOf(t, a, id), transcriptOf(t, c, id)); diff != "" {
			t.Errorf("transcript after a restart (-before +after):\n%s", diff)
		}
	}
	if diff := cmp.Diff(a.planOf(t)["usedPromptCredits"], c.planOf(t)["usedPromptCredits"]); diff != "" {
		t.Errorf("used after a restart (-before +after):\n%s", diff)
	}

	// A server that was killed during a write left half a line.
	journal, err := os.OpenFile(filepath.Join(dir, journalName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(journal, `{"id":%q,"archi`, late)
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	if got := len(listed(t, start(t, cfg))); got != 2 {
		t.Errorf("%d cascades after a crash", got)
	}
}

// Thousands of old cascades are the same for the same seed, are of all kinds, and are
// not made again by the next server.
func TestOld(t *testing.T) {
	t.Parallel()
	const many = 200
	dir := t.TempDir()
	cfg := Config{Token: "t", At: testTime, Cascade: Cascade{Old: many, Dir: dir, FileSize: 80_000}}
	s := start(t, cfg)
	all := listed(t, s)
	if diff := cmp.Diff(all, listed(t, start(t, Config{Token: "t", At: testTime, Cascade: Cascade{Old: many}}))); diff != "" {
		t.Errorf("of the same seed, without a disk (-one +other):\n%s", diff)
	}
	count := map[string]int{}
	oldest := testTime
	for id, entry := range all {
		summary := entry.(map[string]any)
		for _, mark := range []string{"isArchived", "hidden", "renamedTitle", "workspaces"} {
			if summary[mark] != nil {
				count[mark]++
			}
		}
		if summary["status"] == "CASCADE_RUN_STATUS_RUNNING" {
			count["running"]++
		}
		modified, err := time.Parse(time.RFC3339, summary["lastModifiedTime"].(string))
		if err != nil || modified.After(testTime) {
			t.Errorf("%s: modified %v", id, summary["lastModifiedTime"])
		}
		if modified.Before(oldest) {
			oldest = modified
		}
		info, err := os.Stat(filepath.Join(dir, "cascade", id+".pb"))
		if err != nil || !info.ModTime().Equal(modified) || info.Size() < 1000 || info.Size() > 240_000 {
			t.Errorf("file of %s: %v, %v", id, info, err)
		}
	}
	delete(count, "workspaces")
	want := map[string]int{"isArchived": 12, "hidden": 8, "renamedTitle": 20, "running": 4}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	if age := testTime.Sub(oldest); age < 390*24*time.Hour || age > oldSpan {
		t.Errorf("the oldest is %v old", age)
	}

	again := start(t, cfg)
	if got := len(listed(t, again)); got != many {
		t.Errorf("%d after a restart", got)
	}
	for id, entry := range listed(t, again) {
		if status := entry.(map[string]any)["status"]; status != "CASCADE_RUN_STATUS_IDLE" {
			t.Errorf("%s: %v after a restart", id, status)
		}
	}
}

// A message that was accepted but not answered is recorded.
func TestResetAfter(t *testing.T) {
	t.Parallel()
	s := start(t, Config{
		Token: "t", Fault: FaultResetAfter, FaultRPC: "SendUserCascadeMessage", Cascade: quick(Cascade{Turn: "echo"}),
	})
	id := open(t, s)
	_, err := try(t, s, http.MethodPost, servicePath+"SendUserCascadeMessage", "t", "application/json", prompt(id, model, "hello"))
	if err == nil {
		t.Error("it was answered")
	}
	finish(t, s, id)
	if got := strings.Count(transcriptOf(t, s, id), "- User ==="); got != 1 {
		t.Errorf("%d messages", got)
	}
}

// A process keeps its cascades in the directory of its command line, below its home.
func TestProcessHome(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		o    Options
		want string
	}{
		{"default", Options{IDEName: "windsurf"}, ".codeium/windsurf"},
		{"next_child", Options{IDEName: "windsurf-next", RunChild: true, Equals: true}, ".codeium/windsurf-next"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.o.Home = t.TempDir()
			tt.o.Config.Cascade = Cascade{Old: 3}
			p := launch(t, tt.o)
			if got := len(cascadeFiles(t, filepath.Join(tt.o.Home, filepath.FromSlash(tt.want)))); got != 3 {
				t.Errorf("%d files", got)
			}
			if got := ask(t, p, "StartCascade", p.Ready().Token, `{"metadata":{"apiKey":"sk-ws-01-test","requestId":"3"},"baseTrajectoryIdentifier":{}}`); got != 200 {
				t.Errorf("start: %d", got)
			}
			want := []Call{{RPC: "StartCascade", Key: "sk-ws-01-test", RequestID: 3, Violations: []string{"base_trajectory_identifier is set"}}}
			if diff := cmp.Diff(want, p.Calls()); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"StartCascade: base_trajectory_identifier is set"}, p.Violations()); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
			database := filepath.FromSlash(tt.o.Home + "/" + tt.want + "/database/")
			if args := strings.Join(tt.o.arguments(""), " "); !strings.Contains(args, database) {
				t.Errorf("no %s in %s", database, args)
			}
		})
	}
}

func TestCascadeConfigErrors(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]Config{
		"release":    {Release: "5"},
		"retirement": {Cascade: Cascade{Retired: "soon"}},
		"rate_limit": {Cascade: Cascade{RateLimit: "some"}},
		"turn":       {Cascade: Cascade{Turn: "left"}},
	} {
		if s, err := New(cfg); err == nil {
			t.Errorf("%s: no error", name)
			_ = s.Close()
		}
	}
	// A directory that cannot be created.
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := New(Config{Cascade: Cascade{Dir: file}}); err == nil {
		t.Error("directory: no error")
		_ = s.Close()
	}
}
