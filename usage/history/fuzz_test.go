package history

import (
	"encoding/binary"
	"path/filepath"
	"testing"
	"time"

	"windsock/usage"
)

// FuzzRows checks any numbers in the file: nothing is negative, nothing hangs, and the
// returned samples are in order and end with the present figure.
func FuzzRows(f *testing.F) {
	row := func(numbers ...int64) []byte {
		var raw []byte
		for _, n := range numbers {
			raw = binary.BigEndian.AppendUint64(raw, uint64(n))
		}
		return raw
	}
	f.Add(row(noon.UnixMilli(), 0, 1, 47*credit, 500*credit, 0, cycle.Start.Unix(), cycle.End.Unix()))
	f.Add(row(-1, 1<<62, 7, -1, -1, -1<<63, -1, 1<<63-1))
	f.Add(append(row(1<<63-2, -1<<63, 1, 1<<60+1, 0, 0, 0, 0), row(5, 5, 99, 5, 5, 5, 5, 5)...))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "history.db")
		s := New(Config{Path: path, Location: time.UTC})
		poll := func(after time.Duration, used int64) {
			t.Helper()
			h := s.Record(t.Context(), snapshot(someone(), noon.Add(after), credits(used)))[usage.PromptCredits].Samples
			if len(h) == 0 || h[len(h)-1].Used != usage.Micros(used) {
				t.Fatalf("handed out %v", h)
			}
			for i, sample := range h {
				used, ok := sample.Used.Micros()
				if !ok || used < 0 || (i > 0 && !h[i-1].At.Before(sample.At)) || sample.At.Before(cycle.Start) {
					t.Fatalf("handed out %v", h)
				}
			}
		}
		poll(0, credit)
		s.mu.Lock()
		for ; len(raw) >= 64; raw = raw[64:] {
			n := func(i int) int64 { return int64(binary.BigEndian.Uint64(raw[8*i:])) }
			_, err := s.db.Exec("INSERT OR REPLACE INTO sample VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?)", n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7))
			if err != nil {
				t.Fatal(err)
			}
		}
		s.mu.Unlock()
		poll(time.Hour, 2*credit)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = New(Config{Path: path, Location: time.UTC})
		poll(25*time.Hour, 3*credit)
		days, err := s.Days(t.Context(), time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range days {
			if used, ok := d.Used.Micros(); !ok || used < 0 || len(d.Date) != len(dateFormat) {
				t.Fatalf("day %v", d)
			}
		}
		samples, err := s.Samples(t.Context(), time.Unix(0, 0))
		if err != nil || s.Notice() != "" {
			t.Fatal(err, s.Notice())
		}
		checkOutputs(t, samples, days)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
