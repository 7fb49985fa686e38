package status

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/usagetest"
)

// weekly is a week's quota that ends four days after noon.
func weekly(left int) poll.Reading {
	return poll.Reading{Raw: fmt.Appendf(nil, `{"planStatus":{"weeklyQuotaRemainingPercent":%d,"weeklyQuotaResetAtUnix":%d}}`,
		left, usagetest.Noon.Add(4*usagetest.Day).Unix())}
}

func TestStatusRecords(t *testing.T) {
	t.Parallel()
	reading := weekly(60)
	tests := []struct {
		name      string
		args      []string
		recorded  bool
		wantBasis string
	}{
		{"live", []string{"--json"}, true, "history"},
		{"pinned", []string{"--json", "--at", "2026-02-03T10:00:00Z"}, false, "window"},
		{"file", []string{"--json", "--from", "-", "--at", "2026-02-03T10:00:00Z"}, false, "window"},
		{"file_without_time", []string{"--json", "--from", "-"}, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			recorded := false
			c := &statusCommand{
				Parts: Parts{
					Fetch: fetchOf(reading),
					Record: func(_ context.Context, s usage.Snapshot) pace.History {
						recorded = true
						m := s.Meters[0]
						return pace.History{m.ID: {Past: []pace.Window{{
							Window: usage.Window{Start: m.Window.Start.AddDate(0, 0, -7), End: m.Window.Start}, Used: usagetest.AmountOf(30), Total: m.Total,
						}}}}
					},
				},
			}
			out, err := runStatus(t, c, bytes.NewReader(reading.Raw), tt.args...)
			if err != nil {
				t.Fatal(err)
			}
			if got := gjson.Get(out, "plans.0.meters.0.pace.basis").String(); got != tt.wantBasis || recorded != tt.recorded {
				t.Errorf("recorded %v, by %q, in %s", recorded, got, out)
			}
		})
	}
}

func TestStatusWorkDays(t *testing.T) {
	t.Parallel()
	c := &statusCommand{Parts: Parts{Fetch: fetchOf(weekly(60)), Config: func() (Config, error) { return Config{WorkDays: []string{"mon", "tue"}}, nil }}}
	out, err := runStatus(t, c, nil, "--json")
	if err != nil {
		t.Fatal(err)
	}
	// The week began on Saturday 10:00. Of two work days, Monday and ten hours of
	// Tuesday are over.
	if got := gjson.Get(out, "plans.0.meters.0.pace.elapsed_percent").Float(); got != 70.8 {
		t.Errorf("%v %% of the work is over", got)
	}
}

// A line is printed for a change, not for the passing of time.
func TestWatchLinesOfPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		start := time.Now()
		// The verdict for 43 per cent changes after some hours.
		err := watch(t, 30*time.Hour, &out, func(time.Duration) (poll.Reading, error) { return weekly(57), nil }, "--interval", "1h")
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 30*time.Hour {
			t.Fatalf("error %v after %v", err, time.Since(start))
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			p := gjson.Get(line, "plans.0.meters.0.pace")
			got = append(got, p.Get("verdict").String()+" "+p.Get("confidence").String())
			if p.Get("elapsed_percent").Float() == 0 || p.Get("projected_percent").Float() == 0 || p.Get("lasts_percent").Float() == 0 {
				t.Errorf("no figures in %s", line)
			}
		}
		want := []string{"tight established", "on_course established"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s", diff, out.String())
		}
	})
}
