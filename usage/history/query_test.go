package history

import (
	"slices"
	"testing"
	"time"

	"windsock/usage"
)

// SamplesOf returns the meter's samples among all Samples since the same moment.
func TestSamplesOf(t *testing.T) {
	t.Parallel()
	s := open(t, tempPath(t))
	for i := range 4 {
		s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Duration(i)*time.Hour), credits(int64(i)*credit), flex(int64(i/2)*credit)))
	}
	all, err := s.Samples(t.Context(), noon.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	for meter, count := range map[usage.MeterID]int{usage.PromptCredits: 3, usage.FlexCredits: 1, usage.ACU: 0, "unknown": 0} {
		got, err := s.SamplesOf(t.Context(), account(t, "u"), meter, noon.Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, len(got), count)
		want := slices.DeleteFunc(slices.Clone(all), func(s Sample) bool { return s.Meter != meter })
		equal(t, got, slices.Clip(append([]Sample(nil), want...)))
	}
}
