package history

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/pace"
)

// runHistory runs the command at noon on a store.
func runHistory(t *testing.T, path string, environ map[string]string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	c := &historyCommand{
		open:     func() (*Store, error) { return New(Config{Path: path, Location: time.UTC}), nil },
		now:      func() time.Time { return noon },
		lookup:   func(name string) (string, bool) { value, ok := environ[name]; return value, ok },
		environ:  []string{"TERM=xterm"},
		location: time.UTC,
		pace:     func() (pace.Options, error) { return pace.Options{Location: time.UTC}, nil },
	}
	cmd := newCommand(c)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var out, errs strings.Builder
	cmd.SetArgs(append([]string{}, args...))
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errs.String(), err
}

// month is a store with a month of work, a weekend, a week without samples, and an
// earlier second account.
var month = made(func(tb testing.TB, path string) {
	tb.Helper()
	s := salted(tb, path)
	s.Record(tb.Context(), snapshot(account(tb, "other"), noon.AddDate(0, 0, -40), flex(credit)))
	u, used := account(tb, "u"), int64(0)
	for day := noon.AddDate(0, 0, -35); !day.After(noon); day = day.AddDate(0, 0, 1) {
		if day.Day() >= 18 && day.Day() <= 24 && day.Month() == time.January {
			continue
		}
		var last usage.Snapshot
		for hour := range 9 {
			if w := day.Weekday(); w != time.Saturday && w != time.Sunday {
				used += int64(day.Day()*37%11*hour) * credit / 4
			}
			m := credits(used)
			m.Window = usage.Window{Start: noon.AddDate(0, 0, -60), End: noon.AddDate(0, 0, 5)}
			balance := usage.Meter{ID: usage.ExtraUsage, Unit: usage.UnitUSD, State: usage.StateOK, Remaining: usage.Micros(20*credit - used/100)}
			last = snapshot(u, day.Add(time.Duration(hour-8)*time.Hour), m, flex(7*credit), balance)
			s.wait(u, samplesOf(last)) // a day at a time is quicker
		}
		s.Record(tb.Context(), last)
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
})

func TestCommandGolden(t *testing.T) {
	t.Parallel()
	path := month(t)
	wide := map[string]string{"COLUMNS": "80"}
	tests := []struct {
		name    string
		environ map[string]string
		args    []string
	}{
		{"piped", nil, nil},
		{"daily", wide, []string{"--daily", "--since", "5d"}},
		{"daily_narrow", map[string]string{"COLUMNS": "24"}, []string{"--daily", "--since", "2d"}},
		{"daily_json", nil, []string{"--daily", "--json", "--since", "3d"}},
		{"daily_csv", nil, []string{"--daily", "--csv", "--since", "3d"}},
		{"samples_json", nil, []string{"--json", "--since", "3h"}},
		{"samples_csv", wide, []string{"--csv", "--since", "2026-02-03T08:00:00Z"}},
		{"nothing_since", wide, []string{"--since", "2026-02-03T12:00:00Z", "--json"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, errs, err := runHistory(t, path, tt.environ, tt.args...)
			if err != nil || errs != "" {
				t.Fatal(err, errs)
			}
			golden(t, tt.name+".txt", []byte(out))
		})
	}
}

// Charts are the same without their colours, which carry no information.
func TestCharts(t *testing.T) {
	t.Parallel()
	s := open(t, month(t))
	tests := []struct {
		name, since string
		width       int
	}{
		{"chart", "30d", 80},
		{"chart_narrow", "30d", 30},
		{"chart_tiny", "30d", 12},
		{"chart_all", "all", 80},
		{"chart_long", "2025-10-01", 40},
	}
	for _, tt := range tests {
		_, since, _ := usage.ParseSince(tt.since, noon)
		days, err := s.Days(t.Context(), since)
		if err != nil {
			t.Fatal(err)
		}
		text := charts(days, since.UTC(), noon, tt.width)
		if !strings.Contains(text, "\x1b[") {
			t.Errorf("%s has no colours", tt.name)
		}
		golden(t, tt.name+".txt", []byte(ansi.Strip(text)))
	}
}

func TestCommandWithoutHistory(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args []string
		want string
	}{
		{nil, "There is no history yet. It begins with the first figures that the icon or `windsock status` shows.\n"},
		{[]string{"--json"}, "{\"schema\":1,\"samples\":[\n]}\n"},
		{[]string{"--json", "--daily"}, "{\"schema\":1,\"days\":[\n]}\n"},
		{[]string{"--csv"}, "at,meter,unit,used,total,remaining,window_start,resets_at,plan\r\n"},
		{[]string{"--csv", "--daily"}, "day,meter,unit,used,plan\r\n"},
	}
	for _, tt := range tests {
		path := tempPath(t)
		out, errs, err := runHistory(t, path, nil, tt.args...)
		if err != nil || errs != "" || out != tt.want {
			t.Errorf("%v: %q, %q, %v", tt.args, out, errs, err)
		}
		if _, err := os.Stat(filepath.Dir(path)); err == nil {
			t.Error("a file was made")
		}
	}
	path := tempPath(t)
	s := open(t, path)
	s.Record(t.Context(), snapshot(account(t, "u"), noon.AddDate(0, 0, -9), credits(credit)))
	out, _, err := runHistory(t, path, nil, "--since", "5d")
	if want := "Nothing was seen in that time. The last day with figures is 2026-01-25.\n"; err != nil || out != want {
		t.Errorf("%q, %v", out, err)
	}
}

func TestCommandErrors(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--since", "yesterday"},
		{"--csv", "--json"},
	} {
		_, _, err := runHistory(t, tempPath(t), nil, args...)
		if say.Exit(err) != say.ExitUsage || !strings.HasSuffix(say.Sentence(err, ""), ".") {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// The fate of the file is shown beside the days.
func TestCommandTellsNotice(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history.db")
	if err := os.WriteFile(path, []byte("no database at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, err := runHistory(t, path, nil)
	if err != nil || !strings.HasPrefix(out, "There is no history yet.") || !strings.HasPrefix(errs, "windsock: The history could not be read. It lies in history-unreadable-") {
		t.Errorf("%q, %q, %v", out, errs, err)
	}
}

// FuzzFigures checks any figures that a file may have: days sum up to no more than the
// rises, outputs parse, and drawings fit the terminal.
func FuzzFigures(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, 40)
	f.Add([]byte{255, 0, 255, 0, 128, 9, 9, 9, 9, 9, 1, 1}, 7)
	f.Add([]byte(strings.Repeat("\x07\x00\xff\x10", 60)), 100)
	f.Fuzz(func(t *testing.T, raw []byte, width int) {
		width = 1 + int(uint(width)%200)
		samples := figuresOf(raw[:min(len(raw), 1000)])
		days := useByDay(samples, time.UTC)
		seen := map[string]bool{}
		for _, d := range days {
			used, ok := d.Used.Micros()
			if !ok || used < 0 || len(d.Date) != 10 || seen[d.Date+string(d.Meter)] {
				t.Fatalf("day %v", d)
			}
			seen[d.Date+string(d.Meter)] = true
		}
		checkOutputs(t, samples, days)
		if len(days) == 0 {
			return
		}
		for _, text := range []string{charts(days, time.Unix(0, 0), noon, width), table(days, width)} {
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				if ansi.StringWidth(line) > width {
					t.Fatalf("%d columns of %d: %q", ansi.StringWidth(line), width, line)
				}
				if plain := ansi.Strip(line); plain != strings.TrimRight(plain, " ") {
					t.Fatalf("blanks at the end of %q", line)
				}
			}
		}
	})
}

// figuresOf are samples of two meters, four bytes each.
func figuresOf(raw []byte) []Sample {
	at := noon
	var samples []Sample
	for ; len(raw) >= 4; raw = raw[4:] {
		at = at.Add(time.Duration(int8(raw[0])) * time.Hour)
		micros := int64(raw[1]) << (raw[2] % 43)
		s := Sample{At: at, Meter: usage.DailyQuota, Unit: usage.UnitPercent, Used: usage.Micros(micros), Total: usage.Micros(1 << 50)}
		if raw[3]%2 == 0 {
			s.Window.End = noon.Add(time.Duration(raw[3]) * 12 * time.Hour)
			s.Window.Start = s.Window.End.Add(-24 * time.Hour)
		}
		if raw[3]%5 == 0 {
			s = Sample{At: at, Meter: usage.ExtraUsage, Unit: usage.UnitUSD, Remaining: usage.Micros(micros - int64(raw[2])<<38)}
		}
		samples = append(samples, s)
	}
	return samples
}

func checkOutputs(t *testing.T, samples []Sample, days []Day) {
	t.Helper()
	var text strings.Builder
	if err := writeJSON(&text, "samples", sampleFields, samples); err != nil {
		t.Fatal(err)
	}
	var read struct{ Samples []map[string]any }
	if err := json.Unmarshal([]byte(text.String()), &read); err != nil || len(read.Samples) != len(samples) {
		t.Fatalf("%d samples of %d, %v", len(read.Samples), len(samples), err)
	}
	text.Reset()
	if err := writeCSV(&text, dayFields, days); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil || len(rows) != 1+len(days) {
		t.Fatalf("%d rows of %d, %v", len(rows), len(days), err)
	}
	for _, row := range rows[1:] {
		if used, err := strconv.ParseFloat(row[3], 64); err != nil || used < 0 {
			t.Fatalf("row %v", row)
		}
	}
}

func TestDecimal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		amount usage.Amount
		unit   usage.Unit
		want   string
	}{
		{usage.Amount{}, usage.UnitCredits, ""},
		{usage.Micros(0), usage.UnitCredits, "0"},
		{usage.Micros(12_345_000), usage.UnitCredits, "12.35"},
		{usage.Micros(12_344_999), usage.UnitCredits, "12.34"},
		{usage.Micros(-12_345_000), usage.UnitUSD, "-12.35"},
		{usage.Micros(-4_999), usage.UnitUSD, "0"},
		{usage.Micros(155_450), usage.UnitACU, "0.1555"},
	}
	for _, tt := range tests {
		if got := decimal(tt.amount, tt.unit); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.amount, got, tt.want)
		}
	}
}

// What was said of past windows, and what came.
func TestWindowsCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		environ map[string]string
		args    []string
	}{
		{"windows", nil, nil},
		{"windows_narrow", map[string]string{"COLUMNS": "40"}, nil},
		{"windows_since", nil, []string{"--since", "2026-02-01"}},
		{"windows_csv", nil, []string{"--csv"}},
		{"windows_json", nil, []string{"--json"}},
	}
	path := weeks(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, _, err := runHistory(t, path, tt.environ, append([]string{"--windows", "--since", "all"}, tt.args...)...)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name+".txt", []byte(out))
		})
	}
}

func TestWindowsCommandOfNothing(t *testing.T) {
	t.Parallel()
	out, _, err := runHistory(t, tempPath(t), nil, "--windows")
	if err != nil || !strings.Contains(out, "No window that was seen ended") {
		t.Errorf("%q, %v", out, err)
	}
}
