package app

import (
	"encoding/csv"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat/touched"
	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/history"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/windsurf"
	"windsock/usage/words"
)

// The first edition knew one plan. Its history was written by version 1 of all that
// stands in it, and samples.csv and days.csv by its history command, which told of the
// account that was seen last.
const (
	firstEdition = "testdata/first_edition/"
	firstPlan    = "windsurf:087e07"
	otherPlan    = "windsurf:c99c85"
)

var firstEditionNoon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// firstEditionCopy is a directory with a copy of the first edition's history.
func firstEditionCopy(t *testing.T) (dir string) {
	t.Helper()
	content, err := os.ReadFile(firstEdition + "history.db")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, historyName), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func storeIn(t *testing.T, dir string) *history.Store {
	t.Helper()
	store := history.New(history.Config{Path: filepath.Join(dir, historyName), Location: time.UTC})
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// firstEditionState is what a server told the first edition, and tells again.
func firstEditionState(t *testing.T, at time.Time, used, flexUsed int) poll.State {
	t.Helper()
	raw := fmt.Sprintf(`{"userStatus":{"userId":"u","email":"u@example.com","planStatus":{"planInfo":{"planName":"Pro"},
		"planStart":"2026-01-18T09:00:00Z","planEnd":"2026-02-18T09:00:00Z",
		"availablePromptCredits":50000,"usedPromptCredits":%d,"availableFlexCredits":10000,"usedFlexCredits":%d}}}`, used, flexUsed)
	s, err := windsurf.Decode([]byte(raw), usage.Source{Kind: usage.KindLanguageServer, FetchedAt: at})
	if err != nil {
		t.Fatal(err)
	}
	return poll.State{At: at, Snapshot: s.At(at), Name: "windsurf", Lead: true}
}

func TestFirstEditionHistory(t *testing.T) {
	t.Parallel()
	dir := firstEditionCopy(t)
	plans, err := storeIn(t, dir).Plans(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]history.Plan{
		{Name: otherPlan, Product: usage.Windsurf, Hash: "c99c85", Last: firstEditionNoon.AddDate(0, 0, -20).Add(time.Hour)},
		{Name: firstPlan, Product: usage.Windsurf, Hash: "087e07", Last: firstEditionNoon},
	}, plans); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
	for name, args := range map[string][]string{"samples.csv": {"--csv"}, "days.csv": {"--csv", "--daily"}} {
		want := readCSV(t, firstEdition+name)
		got := runHistory(t, dir, append(args, "--plan", firstPlan)...)
		for i, row := range got {
			last := len(row) - 1
			if i > 0 && row[last] != firstPlan {
				t.Errorf("%s: a row of %s", name, row[last])
			}
			got[i] = row[:last]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-first edition +now):\n%s", name, diff)
		}
	}
	other := runHistory(t, dir, "--csv", "--daily", "--plan", otherPlan)
	if diff := cmp.Diff([][]string{
		{"2026-01-14", "prompt_credits", "credits", "8", otherPlan}, {"2026-01-14", "flex_credits", "credits", "0", otherPlan},
	}, other[1:]); diff != "" {
		t.Errorf("the other account (-want +got):\n%s", diff)
	}
}

// What is recorded goes on in the same plan, and its pace goes by all samples.
func TestFirstEditionGoesOn(t *testing.T) {
	t.Parallel()
	store := storeIn(t, firstEditionCopy(t))
	state := firstEditionState(t, firstEditionNoon.Add(time.Hour), 42_000, 1_600)
	before, err := store.Samples(t.Context(), time.Time{}, state.Snapshot.Plan)
	if err != nil {
		t.Fatal(err)
	}
	if paced := store.Record(t.Context(), state.Snapshot); len(paced) == 0 {
		t.Error("it has no history")
	}
	after, err := store.Samples(t.Context(), time.Time{}, state.Snapshot.Plan)
	if err != nil {
		t.Fatal(err)
	}
	if len(after) != len(before)+2 || len(before) == 0 {
		t.Fatalf("%d samples, then %d", len(before), len(after))
	}
	if plans, err := store.Plans(t.Context()); err != nil || len(plans) != 2 || after[len(after)-1].Plan != firstPlan {
		t.Errorf("plans %v, the last sample is of %s, %v", plans, after[len(after)-1].Plan, err)
	}
}

// Nothing is told again, and what was muted stays so.
func TestFirstEditionAlerts(t *testing.T) {
	t.Parallel()
	store := storeIn(t, firstEditionCopy(t))
	watch := newWatch(store, slog.New(slog.DiscardHandler))
	watch.Config = alert.DefaultConfig()
	see := func(hours, used, flexUsed int) string {
		at := firstEditionNoon.Add(time.Duration(hours) * time.Hour)
		if a := watch.See(t.Context(), poll.Plans{firstEditionState(t, at, used, flexUsed)}); a != nil {
			return a.Title(words.Words{})
		}
		return ""
	}
	if told := see(1, 42_000, 1_600); told != "" {
		t.Errorf("told again: %s", told)
	}
	muted := slices.ContainsFunc(watch.Mutes(), func(m alert.Mute) bool { return m.Meter == usage.FlexCredits && m.On })
	if told := see(2, 50_000, 9_900); told != "Prompt credits: used up" || !muted {
		t.Errorf("then told: %q; flex credits muted: %v", told, muted)
	}
}

func TestFirstEditionCascades(t *testing.T) {
	t.Parallel()
	dir := firstEditionCopy(t)
	table := touched.New(storeIn(t, dir), dir, func() time.Time { return firstEditionNoon })
	waiting, err := table.Waiting(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]touched.Waiting{{Variant: "windsurf-next", ID: "11111111-2222-4333-8444-555555555555", At: firstEditionNoon, Prompts: 1}}, waiting); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	last, err := table.Last(t.Context())
	if err != nil || len(last.IDs) != 1 {
		t.Errorf("the last run: %+v, %v", last, err)
	}
}

// runHistory runs the history command, and returns the rows of its CSV.
func runHistory(t *testing.T, dir string, args ...string) [][]string {
	t.Helper()
	cmd := history.NewCommand(func() (*history.Store, error) { return storeIn(t, dir), nil }, func() (pace.Options, error) { return pace.Options{}, nil })
	var out strings.Builder
	cmd.SetOut(&out)
	cmd.SetArgs(append([]string{"--since", "all"}, args...))
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
