package history

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
	"windsock/usage"
	"windsock/usage/windsurf"
)

// childJob is the environment variable with the job of a child process.
const childJob = "WINDSOCK_HISTORY_CHILD"

// children are the jobs of child processes.
var children = map[string]func(args []string) error{}

func TestMain(m *testing.M) {
	if job := os.Getenv(childJob); job != "" {
		if err := children[job](os.Args[1:]); err != nil {
			_, _ = os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// noon is the present of most tests.
var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// cycle is the window of most samples.
var cycle = usage.Window{
	Start: time.Date(2026, 1, 18, 9, 7, 17, 0, time.UTC),
	End:   time.Date(2026, 2, 18, 9, 7, 17, 0, time.UTC),
}

// account is the plan of a named account; the empty name is an unknown account.
func account(tb testing.TB, name string) usage.Plan {
	tb.Helper()
	raw := `{"userStatus":{"userId":"` + name + `","planStatus":{"availablePromptCredits":1}}}`
	s, err := windsurf.Decode([]byte(raw), usage.Source{})
	if err != nil {
		tb.Fatal(err)
	}
	return s.Plan
}

// someone is the children's account, and the test's own.
func someone() usage.Plan {
	s, err := windsurf.Decode([]byte(`{"userStatus":{"userId":"u","planStatus":{"availablePromptCredits":1}}}`), usage.Source{})
	if err != nil {
		return usage.Plan{}
	}
	return s.Plan
}

const credit = 1_000_000

// credits is a meter of 500 prompt credits.
func credits(used int64) usage.Meter {
	return usage.Meter{
		ID: usage.PromptCredits, Unit: usage.UnitCredits, State: usage.StateOK,
		Used: usage.Micros(used), Total: usage.Micros(500 * credit), Remaining: usage.Micros(max(0, 500*credit-used)),
		Window: cycle,
	}
}

// snapshot is a server's answer at a moment.
func snapshot(account usage.Plan, at time.Time, meters ...usage.Meter) usage.Snapshot {
	return usage.Snapshot{
		Source: usage.Source{Kind: usage.KindLanguageServer, FetchedAt: at},
		Plan:   account, Meters: meters,
	}
}

// open is a store in UTC on a file, closed at the end of the test.
func open(tb testing.TB, path string) *Store {
	tb.Helper()
	return openIn(tb, path, time.UTC, nil)
}

func openIn(tb testing.TB, path string, location *time.Location, log *probetest.Log) *Store {
	tb.Helper()
	c := Config{Path: path, Location: location}
	if log != nil {
		c.Log = slog.New(slog.NewTextHandler(log, nil))
	}
	s := New(c)
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func tempPath(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(tb.TempDir(), "windsock", "history.db")
}

// made writes a file once; each test gets a copy.
func made(write func(tb testing.TB, path string)) func(tb testing.TB) (path string) {
	var (
		once    sync.Once
		content []byte
	)
	return func(tb testing.TB) string {
		tb.Helper()
		path := filepath.Join(tb.TempDir(), "history.db")
		once.Do(func() {
			write(tb, path)
			var err error
			if content, err = os.ReadFile(path); err != nil {
				tb.Fatal(err)
			}
		})
		if err := os.WriteFile(path, content, 0o600); err != nil {
			tb.Fatal(err)
		}
		return path
	}
}

// allSamples are the samples of all plans without their plan, read by a store of its own.
func allSamples(tb testing.TB, path string) []Sample {
	tb.Helper()
	s := New(Config{Path: path, Location: time.UTC})
	samples, err := s.Samples(tb.Context(), time.Unix(0, 0))
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	return ofNoPlan(samples)
}

func ofNoPlan(samples []Sample) []Sample {
	for i := range samples {
		samples[i].Plan = ""
	}
	return samples
}

// salted is a new store whose accounts have the same hashes in every run.
func salted(tb testing.TB, path string) *Store {
	tb.Helper()
	s := open(tb, path)
	if _, err := s.Salt(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	mustExec(tb, s.db, "UPDATE installation SET salt = x'73616c74'")
	s.salt = []byte("salt")
	return s
}

// figures are the used amounts of samples, in whole credits.
func figures(samples []Sample) []int64 {
	var used []int64
	for _, s := range samples {
		micros, _ := s.Used.Micros()
		used = append(used, micros/credit)
	}
	return used
}

func equal[T any](tb testing.TB, got, want T) {
	tb.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("(-want +got):\n%s", diff)
	}
}

// golden compares with testdata/golden/name, which has no line ends of CSV.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	probetest.Golden(t, "golden/"+name, bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")))
}
