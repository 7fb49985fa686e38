package history

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"windsock/probe/probetest"
	"windsock/usage"
	"windsock/usage/product"
)

// raw opens a file beside the store.
func raw(tb testing.TB, path string) *sql.DB {
	tb.Helper()
	db, err := openRaw(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

func openRaw(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

func mustExec(tb testing.TB, db *sql.DB, query string) {
	tb.Helper()
	if _, err := db.Exec(query); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
}

// schema is the schema of a file.
func schema(tb testing.TB, path string) []string {
	tb.Helper()
	statements, err := collect(tb.Context(), raw(tb, path), func(rows *sql.Rows) (s string, err error) {
		err = rows.Scan(&s)
		return s, err
	}, "SELECT type || ' ' || name || ' ' || COALESCE(sql, '') FROM sqlite_schema UNION ALL SELECT 'version ' || user_version FROM pragma_user_version ORDER BY 1")
	if err != nil {
		tb.Fatal(err)
	}
	return statements
}

// Each version wrote its own file in testdata. Each file gets the schema of a new one,
// and keeps its content.
func TestMigrate(t *testing.T) {
	t.Parallel()
	fresh := tempPath(t)
	if err := open(t, fresh).Save(t.Context(), "a", []byte("a")); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("testdata", "version-*.db"))
	if err != nil || len(files) != len(steps) {
		t.Fatalf("%d files for %d versions, %v", len(files), len(steps), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "history.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			equal(t, figures(allSamples(t, path)), []int64{1, 2, 3})
			s := New(Config{Path: path})
			if document, err := s.Load(t.Context(), "alerts"); err != nil || string(document) != "kept" {
				t.Errorf("%s: document %q, %v", file, document, err)
			}
			equal(t, s.Notice(), "")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			equal(t, schema(t, path), schema(t, fresh))
		}
	}
}

// TestWriteVersion writes the present version's file for TestMigrate, with -update and
// when there is none.
func TestWriteVersion(t *testing.T) {
	t.Parallel()
	path := filepath.Join("testdata", "version-2.db")
	if _, err := os.Stat(path); err == nil || !probetest.Update() {
		t.Skip("for -update alone")
	}
	s := New(Config{Path: path})
	for i := range 3 {
		s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Duration(i)*time.Hour), credits(int64(i+1)*credit)))
	}
	if err := s.Save(t.Context(), "alerts", []byte("kept")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A second step runs once, and a failed step leaves nothing behind.
func TestMigrateSteps(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history.db")
	db := raw(t, path)
	add := func(ctx context.Context, tx *sql.Tx, _ *time.Location) error {
		_, err := tx.ExecContext(ctx, "CREATE TABLE added (n INTEGER)")
		return err
	}
	half := func(ctx context.Context, tx *sql.Tx, _ *time.Location) error {
		if _, err := tx.ExecContext(ctx, "CREATE TABLE half (n INTEGER)"); err != nil {
			return err
		}
		return context.DeadlineExceeded
	}
	check := func(want error, steps ...step) {
		t.Helper()
		if err := migrate(t.Context(), db, steps, time.UTC); err != want { //nolint:errorlint // exactly this one
			t.Fatalf("migrate: %v, want %v", err, want)
		}
	}
	check(nil, begin)
	one := schema(t, path)
	check(nil, begin)
	equal(t, schema(t, path), one)
	check(context.DeadlineExceeded, begin, half)
	equal(t, schema(t, path), one)
	check(nil, begin, add)
	two := schema(t, path)
	check(nil, begin, add)
	equal(t, schema(t, path), two)
	check(errNewer, begin)
	equal(t, schema(t, path), two)

	fresh := filepath.Join(t.TempDir(), "history.db")
	if err := migrate(t.Context(), raw(t, fresh), []step{begin, add}, time.UTC); err != nil {
		t.Fatal(err)
	}
	equal(t, schema(t, fresh), two)
}

func TestFileIsPrivate(t *testing.T) {
	t.Parallel()
	if os.PathSeparator == '\\' {
		t.Skip("permissions are not bits")
	}
	path := tempPath(t)
	s := open(t, path)
	s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(credit)))
	modes := map[string]os.FileMode{}
	for _, name := range []string{filepath.Dir(path), path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		modes[filepath.Base(name)] = info.Mode().Perm()
	}
	equal(t, modes, map[string]os.FileMode{"windsock": 0o700, "history.db": 0o600, "history.db-wal": 0o600, "history.db-shm": 0o600})

	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	allSamples(t, path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, info.Mode().Perm(), 0o600)
}

func TestCloseLeavesOneFile(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	s := open(t, path)
	s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(credit)))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	allSamples(t, path)
	equal(t, namesIn(t, filepath.Dir(path)), []string{"history.db"})
}

func namesIn(tb testing.TB, dir string) []string {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Reading makes no file.
func TestReadingMakesNothing(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	s := open(t, path)
	samples, err := s.Samples(t.Context(), time.Time{})
	days, dayErr := s.Days(t.Context(), time.Time{})
	document, loadErr := s.Load(t.Context(), "alerts")
	if err != nil || dayErr != nil || loadErr != nil || samples != nil || days != nil || document != nil {
		t.Errorf("%v %v, %v %v, %v %v", samples, err, days, dayErr, document, loadErr)
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("the directory: %v", err)
	}
}

// None of the files contains personal data, in any spelling.
func TestNothingPersonalIsStored(t *testing.T) {
	t.Parallel()
	const planted = "planted-7c1e"
	answer := strings.ReplaceAll(`{"userStatus":{"userId":"user-X","email":"X@example.com","name":"X Name","teamId":"team-X",
		"planStatus":{"planInfo":{"planName":"X Plan","teamsTier":"X"},"availablePromptCredits":50000,"usedPromptCredits":4700,
		"planStart":"2026-01-18T09:07:17Z","planEnd":"2026-02-18T09:07:17Z","overageBalanceMicros":"5000000"},
		"apiKey":"sk-ws-01-X","workspace":"/home/X/secret"},"prompt":"X"}`, "X", planted)
	path := tempPath(t)
	s := open(t, path)
	quota := strings.ReplaceAll(`{"response":{"groups":[{"displayName":"X","buckets":[{"bucketId":"gemini-weekly","remaining":{"remainingFraction":0.5},
		"resetTime":"2026-03-01T00:00:00Z"},{"bucketId":"X","displayName":"X","remaining":{"remainingFraction":0.5},"resetTime":"2026-03-01T00:00:00Z"}]}]},
		"userStatus":{"email":"X@example.com","userTier":{"name":"X Plan"}}}`, "X", planted)
	pools := strings.ReplaceAll(`{"user":"X","GetPlanInfo":{"planInfo":{"planName":"X Plan"}},"GetCurrentPeriodUsage":{"displayMessage":"X",
		"planUsage":{"autoPercentUsed":0.5},"billingCycleEnd":"1772592000000"},"GetTeams":{"teams":[{"name":"X"}]}}`, "X", planted)
	for i := range 50 {
		for _, of := range usage.Products() {
			snapshot, err := product.Decode(of, []byte(map[usage.Product]string{usage.Windsurf: answer, usage.Antigravity: quota, usage.Cursor: pools}[of]), usage.Source{
				Kind: usage.KindLanguageServer, App: planted, Variant: planted, FetchedAt: noon.Add(time.Duration(i) * 6 * time.Hour),
			})
			if err != nil || !snapshot.Plan.Account.Known() {
				t.Fatalf("%s: account known %v, %v", of, snapshot.Plan.Account.Known(), err)
			}
			s.Record(t.Context(), snapshot)
		}
	}
	look := func() {
		t.Helper()
		files := namesIn(t, filepath.Dir(path))
		for _, name := range files {
			content, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
			if err != nil {
				t.Fatal(err)
			}
			for _, spelling := range []string{
				planted, hex.EncodeToString([]byte(planted)), url.QueryEscape(planted), strings.ToUpper(planted),
				base64.StdEncoding.EncodeToString([]byte(planted)), "example.com", "sk-ws", "/home/", "Plan",
			} {
				if bytes.Contains(content, []byte(spelling)) {
					t.Errorf("%s has %q", name, spelling)
				}
			}
			if salt, _ := s.Salt(t.Context()); name == "history.db" && len(salt) > 0 && len(content) == 0 {
				t.Error("nothing was looked at")
			}
		}
		if !slices.Contains(files, "history.db") {
			t.Fatal("nothing was looked at")
		}
	}
	look()
	if len(allSamples(t, path)) < 50 {
		t.Fatal("nothing was stored")
	}
	look()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	look()
}
