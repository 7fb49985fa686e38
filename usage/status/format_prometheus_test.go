package status

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/usagetest"
)

// promName is a name by Prometheus' practices; a gauge does not end like a
// counter, a histogram or a summary.
var (
	promName  = regexp.MustCompile(`^windsock(_[a-z]+)+$`)
	promOther = regexp.MustCompile(`_(total|count|sum|bucket|info_total|percent|percentage|minutes|hours|days|cents|micros)$`)
)

// readPrometheus parses a text with Prometheus' own parser: the values of the leading
// plan by name and labels.
func readPrometheus(tb testing.TB, all poll.Plans, text string) map[string]float64 {
	tb.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		tb.Fatalf("%v in %s", err, text)
	}
	seen := map[string]map[string]float64{} // by plan
	samples := 0
	for name, f := range families {
		if !promName.MatchString(name) || promOther.MatchString(name) {
			tb.Fatalf("name %q", name)
		}
		if f.GetType().String() != "GAUGE" || !strings.HasSuffix(f.GetHelp(), ".") {
			tb.Fatalf("%s is a %s, %q", name, f.GetType(), f.GetHelp())
		}
		for _, m := range f.GetMetric() {
			id, labels := name, m.GetLabel()
			if len(labels) < 2 || labels[0].GetName() != "product" || labels[1].GetName() != "account" {
				tb.Fatalf("%s has the labels %v", name, labels)
			}
			plan := labels[0].GetValue() + ":" + labels[1].GetValue()
			if seen[plan] == nil {
				seen[plan] = map[string]float64{}
			}
			for _, l := range labels[2:] {
				if l.GetValue() == "" {
					tb.Fatalf("label %s of %s is empty", l.GetName(), name)
				}
				id += "|" + l.GetName() + "=" + l.GetValue()
			}
			value := m.GetGauge().GetValue()
			if _, twice := seen[plan][id]; twice || m.TimestampMs != nil || math.IsNaN(value) || math.IsInf(value, 0) {
				tb.Fatalf("sample %s of %s", id, text)
			}
			seen[plan][id] = value
			samples++
		}
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			samples--
		}
	}
	if samples != 0 || len(seen) != len(all) {
		tb.Fatalf("%d plans, %d samples fewer read than written: %s", len(seen), -samples, text)
	}
	var leads map[string]float64
	for _, s := range all {
		plan := string(s.Snapshot.Plan.Product) + ":" + s.Hash
		checkPrometheus(tb, s, seen[plan])
		if s.Lead {
			leads = seen[plan]
		}
	}
	return leads
}

// checkPrometheus compares the figures with the snapshot: known ones are present,
// unknown ones are not.
func checkPrometheus(tb testing.TB, s poll.State, seen map[string]float64) {
	tb.Helper()
	want := map[string]float64{"windsock_up": 0}
	if s.HasFigures() && s.Err == nil && !s.Snapshot.Source.Stale {
		want["windsock_up"] = 1
	}
	add := func(id string, a usage.Amount, scale float64) {
		if f, known := a.Float(); known {
			want[id] = f / scale
		}
	}
	for _, m := range s.Snapshot.Meters {
		meter := "|meter=" + string(m.ID)
		add("windsock_meter_remaining_ratio"+meter, m.RemainingPercent(), 100)
		if unit := map[usage.Unit]string{usage.UnitCredits: "credits", usage.UnitACU: "acus", usage.UnitRequests: "requests", usage.UnitUSD: "dollars"}[m.Unit]; unit != "" && m.ID != usage.ExtraUsage {
			add("windsock_meter_used_"+unit+meter, m.Used, 1)
			add("windsock_meter_total_"+unit+meter, m.Total, 1)
			add("windsock_meter_remaining_"+unit+meter, m.Remaining, 1)
		}
		if m.ID == usage.ExtraUsage {
			add("windsock_extra_usage_balance_dollars", m.Remaining, 1)
		}
		if !m.Window.End.IsZero() {
			want["windsock_meter_reset_timestamp_seconds"+meter] = float64(m.Window.End.Unix())
		}
		if m.Pace != nil {
			add("windsock_meter_lasts_ratio"+meter, m.Pace.Chance, 100)
			add("windsock_meter_projected_used_ratio"+meter, m.Pace.Projected, 100)
			add("windsock_meter_projected_used_low_ratio"+meter, m.Pace.Low, 100)
			add("windsock_meter_projected_used_high_ratio"+meter, m.Pace.High, 100)
			for moment, at := range map[string]time.Time{"": m.Pace.RunsOutAt, "_from": m.Pace.RunsOutFrom, "_to": m.Pace.RunsOutTo} {
				if !at.IsZero() {
					want["windsock_meter_runs_out"+moment+"_timestamp_seconds"+meter] = float64(at.Unix())
				}
			}
			want["windsock_meter_pace"+meter+"|verdict="+string(m.Pace.Verdict)] = 1
		}
		want["windsock_meter_state"+meter+"|state="+string(m.State)] = 1
	}
	if binding, ok := s.Snapshot.Binding(); ok {
		want["windsock_meter_binding|meter="+string(binding.ID)] = 1
	}
	if fetched := s.Snapshot.Source.FetchedAt; s.HasFigures() && !fetched.IsZero() {
		want["windsock_fetch_timestamp_seconds"] = float64(fetched.Unix())
	}
	got := map[string]float64{}
	for id, value := range seen {
		choice := strings.HasPrefix(id, "windsock_meter_state") || strings.HasPrefix(id, "windsock_meter_pace") ||
			strings.HasPrefix(id, "windsock_meter_binding")
		said := strings.HasPrefix(id, "windsock_info") || strings.HasPrefix(id, "windsock_problems") || strings.HasPrefix(id, "windsock_notices")
		if !said && (!choice || value != 0) {
			got[id] = value
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		tb.Fatalf("(-want +got):\n%s", diff)
	}
}

func TestPrometheusLabels(t *testing.T) {
	t.Parallel()
	plan := "a\\b\"c\nd{e=\"f\"} 1\xff"
	s := poll.State{At: usagetest.Noon, Err: usagetest.ErrNotRunning, Snapshot: usage.Snapshot{PlanName: plan, Source: usage.Source{Kind: usage.KindFile}}}
	want := map[string]float64{
		"windsock_up":                        0,
		"windsock_problems|code=not_running": 1,
		"windsock_info|billing=unknown|plan=" + strings.ToValidUTF8(plan, "�") + "|source=file": 1,
	}
	if diff := cmp.Diff(want, readPrometheus(t, alone(s), writePrometheus(alone(s)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPrometheusCountsProblems(t *testing.T) {
	t.Parallel()
	snapshot := decoded(t, `{"planStatus":{"availablePromptCredits":100}}`)
	snapshot.Problems = []usage.Problem{{Code: usage.CodeUnreadableField, Message: "a"}, {Code: usage.CodeUnreadableField, Message: "b"}}
	s := poll.State{At: usagetest.Noon, Snapshot: snapshot, Err: usagetest.ErrNotRunning}
	got := readPrometheus(t, alone(s), writePrometheus(alone(s)))
	if got["windsock_problems|code=unreadable_field"] != 2 || got["windsock_problems|code=not_running"] != 1 {
		t.Errorf("problems in %v", got)
	}
}
