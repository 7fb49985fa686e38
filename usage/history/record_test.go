package history

import (
	"os"
	"testing"
	"time"

	"windsock/usage"
)

func TestRecordAppendsWhatChanged(t *testing.T) {
	t.Parallel()
	type poll struct {
		after time.Duration
		used  int64
	}
	tests := []struct {
		name  string
		polls []poll
		want  []int64
	}{
		{"first", []poll{{0, 1}}, []int64{1}},
		{"every_change", []poll{{0, 1}, {5 * time.Minute, 2}, {10 * time.Minute, 3}}, []int64{1, 2, 3}},
		{"unchanged", []poll{{0, 1}, {5 * time.Minute, 1}, {10 * time.Minute, 1}}, []int64{1}},
		{"unchanged_for_six_hours", []poll{{0, 1}, {359 * time.Minute, 1}, {361 * time.Minute, 1}, {362 * time.Minute, 1}}, []int64{1, 1}},
		{"within_a_minute", []poll{{0, 1}, {30 * time.Second, 2}, {59 * time.Second, 3}, {60 * time.Second, 4}}, []int64{1, 4}},
		{"a_fall", []poll{{0, 9}, {5 * time.Minute, 2}}, []int64{9, 2}},
		{"clock_set_back", []poll{{0, 1}, {-2 * time.Hour, 2}, {-time.Hour, 2}, {-30 * time.Minute, 3}}, []int64{1, 2, 3}},
		{"clock_set_back_a_little", []poll{{0, 1}, {-30 * time.Second, 2}, {time.Minute, 3}}, []int64{1, 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := tempPath(t)
			s := open(t, path)
			for _, p := range tt.polls {
				s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(p.after), credits(p.used*credit)))
			}
			equal(t, figures(allSamples(t, path)), tt.want)
		})
	}
}

func TestRecordSeesEveryChange(t *testing.T) {
	t.Parallel()
	balance := usage.Meter{ID: usage.ExtraUsage, Unit: usage.UnitUSD, State: usage.StateOK, Remaining: usage.Micros(5 * credit)}
	tests := []struct {
		name   string
		before usage.Meter
		change func(m *usage.Meter)
		want   int
	}{
		{"nothing", credits(credit), func(*usage.Meter) {}, 1},
		{"used", credits(credit), func(m *usage.Meter) { m.Used = usage.Micros(credit + 1) }, 2},
		{"total", credits(credit), func(m *usage.Meter) { m.Total = usage.Micros(600 * credit) }, 2},
		{"balance", balance, func(m *usage.Meter) { m.Remaining = usage.Micros(-1) }, 2},
		{"end", credits(credit), func(m *usage.Meter) { m.Window.End = m.Window.End.Add(time.Hour) }, 2},
		{"end_by_jitter", credits(credit), func(m *usage.Meter) { m.Window.End = m.Window.End.Add(-5 * time.Minute) }, 1},
		{"start", credits(credit), func(m *usage.Meter) { m.Window.Start = m.Window.Start.Add(-time.Hour) }, 2},
		{"window_gone", credits(credit), func(m *usage.Meter) { m.Window = usage.Window{} }, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := tempPath(t)
			s := open(t, path)
			m := tt.before
			s.Record(t.Context(), snapshot(account(t, "u"), noon, m))
			tt.change(&m)
			s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(5*time.Minute), m))
			equal(t, len(allSamples(t, path)), tt.want)
		})
	}
}

// A sample comes back with the meter's figures.
func TestRecordKeepsFigures(t *testing.T) {
	t.Parallel()
	meters := []usage.Meter{
		credits(47 * credit), credits(500 * credit), credits(612 * credit),
		{ID: usage.FlexCredits, Unit: usage.UnitCredits, State: usage.StateOK, Used: usage.Micros(1), Total: usage.Micros(3), Remaining: usage.Micros(2)},
		{ID: usage.ACU, Unit: usage.UnitACU, State: usage.StateOK, Used: usage.Micros(155422)},
		{ID: usage.ExtraUsage, Unit: usage.UnitUSD, State: usage.StateOK, Remaining: usage.Micros(-7_940_000)},
		{ID: usage.WeeklyQuota, Unit: usage.UnitPercent, State: usage.StateExhausted, Used: usage.Micros(100 * credit), Total: usage.Micros(100 * credit), Remaining: usage.Micros(0), Window: usage.Window{End: cycle.End}},
	}
	for _, m := range meters {
		path := tempPath(t)
		s := open(t, path)
		s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Millisecond), m))
		equal(t, allSamples(t, path), []Sample{{
			At: noon, Meter: m.ID, Unit: m.Unit, Used: m.Used, Total: m.Total, Remaining: m.Remaining, Window: m.Window,
		}})
	}
}

func TestRecordLeavesOut(t *testing.T) {
	t.Parallel()
	over := credits(credit)
	over.Window.End = noon
	unlimited := usage.Meter{ID: usage.PromptCredits, Unit: usage.UnitCredits, State: usage.StateUnlimited}
	unknown := usage.Meter{ID: "credits_of_the_future", Unit: usage.UnitCredits, State: usage.StateOK, Used: usage.Micros(1)}
	bucket := usage.Meter{ID: "image-5h", Name: "Image", Unit: usage.UnitPercent, State: usage.StateOK, Used: usage.Micros(1)}
	waits := usage.Meter{ID: usage.Gemini5h, Unit: usage.UnitPercent, State: usage.StateNotStarted, Used: usage.Micros(0)}
	cached, saved := snapshot(account(t, "u"), noon, credits(credit)), snapshot(account(t, "u"), noon, credits(credit))
	cached.Source.Kind, saved.Source.Kind = usage.KindCache, usage.KindFile
	tests := []struct {
		name     string
		snapshot usage.Snapshot
	}{
		{"no_time", snapshot(account(t, "u"), time.Time{}, credits(credit))},
		{"before_time", snapshot(account(t, "u"), time.Unix(-1, 0), credits(credit))},
		{"window_over", snapshot(account(t, "u"), noon, over)},
		{"unlimited", snapshot(account(t, "u"), noon, unlimited)},
		{"unknown_meter", snapshot(account(t, "u"), noon, unknown)},
		{"bucket_that_the_table_lacks", snapshot(account(t, "u"), noon, bucket)},
		{"not_started", snapshot(account(t, "u"), noon, waits)},
		{"no_meters", snapshot(account(t, "u"), noon)},
		{"cache", cached},
		{"file", saved},
		{"too_large", snapshot(account(t, "u"), noon, credits(1<<61))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := tempPath(t)
			h := open(t, path).Record(t.Context(), tt.snapshot)
			if len(h) > 0 {
				t.Errorf("history %v", h)
			}
			if _, err := os.Stat(path); err == nil {
				t.Error("something was written")
			}
		})
	}
}

// One account's use never appears in another's, nor in that of an unknown account.
func TestRecordKeepsAccountsApart(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	s := open(t, path)
	for i, name := range []string{"a", "b", "", "a", "b", ""} {
		at := noon.Add(time.Duration(i) * time.Minute)
		h := s.Record(t.Context(), snapshot(account(t, name), at, credits(int64(10*len(name)+i)*credit)))
		want := 1 + i/3
		if got := len(h[usage.PromptCredits].Samples); got != want {
			t.Errorf("%d: %d samples, want %d", i, got, want)
		}
	}
	for name, want := range map[string][]int64{"a": {10, 13}, "b": {11, 14}, "": {2, 5}} {
		samples, err := s.Samples(t.Context(), time.Time{}, account(t, name))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, figures(samples), want)
	}
	equal(t, figures(allSamples(t, path)), []int64{10, 11, 2, 13, 14, 5})
}

func TestSecondStoreGoesOn(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	for i := range 3 {
		s := New(Config{Path: path})
		h := s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Duration(i)*time.Hour), credits(int64(i)*credit)))
		equal(t, len(h[usage.PromptCredits].Samples), i+1)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, figures(allSamples(t, path)), []int64{0, 1, 2})
}

func TestClosedStore(t *testing.T) {
	t.Parallel()
	s := open(t, tempPath(t))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if h := s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(credit))); h != nil {
		t.Errorf("history %v", h)
	}
	if err := s.Save(t.Context(), "a", []byte("a")); err == nil {
		t.Error("saved")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	s := open(t, path)
	load := func(want []byte) {
		t.Helper()
		got, err := s.Load(t.Context(), "alerts")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, got, want)
	}
	load(nil)
	for _, value := range [][]byte{[]byte("one"), []byte("one"), []byte("two"), {0, 1, 255}} {
		if err := s.Save(t.Context(), "alerts", value); err != nil {
			t.Fatal(err)
		}
		load(value)
	}
	if err := s.Save(t.Context(), "other", []byte("other")); err != nil {
		t.Fatal(err)
	}
	load([]byte{0, 1, 255})
	salt, err := s.Salt(t.Context())
	if err != nil || len(salt) != 32 {
		t.Fatalf("salt of %d bytes, %v", len(salt), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	load([]byte{0, 1, 255})
	again, err := s.Salt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, again, salt)
	if other, err := open(t, tempPath(t)).Salt(t.Context()); err != nil || string(other) == string(salt) {
		t.Errorf("the salt of another installation is the same, or %v", err)
	}
}

// A sample that waited for a lock is dropped when another process has written a later
// one: it would look like a fall and a rise. The others are written, at the latest by
// Close.
func TestWhatWaits(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	s, other := open(t, path), open(t, path)
	waits := func(minute int, used int64) {
		s.wait(account(t, "u"), samplesOf(snapshot(account(t, "u"), noon.Add(time.Duration(minute)*time.Minute), flex(used*credit))))
	}
	waits(0, 1)
	waits(5, 2)
	other.Record(t.Context(), snapshot(account(t, "u"), noon.Add(7*time.Minute), flex(3*credit)))
	waits(10, 4)
	s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(15*time.Minute), flex(5*credit)))
	equal(t, figures(allSamples(t, path)), []int64{3, 4, 5})
	waits(20, 6)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	equal(t, figures(allSamples(t, path)), []int64{3, 4, 5, 6})
}

func TestWhatWaitsIsBounded(t *testing.T) {
	t.Parallel()
	s, u := open(t, tempPath(t)), account(t, "u")
	for i := range 2 * maxWaiting {
		s.wait(u, samplesOf(snapshot(u, noon.Add(time.Duration(i)*time.Minute), flex(int64(i)*credit))))
	}
	equal(t, len(s.waiting), maxWaiting)
	last, _ := s.waiting[maxWaiting-1].sample.Used.Micros()
	equal(t, last, (2*maxWaiting-1)*credit)
}
