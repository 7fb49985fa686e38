package status

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"windsock/usage"
	"windsock/usage/poll"
)

// writePrometheus is all plans in the text format of Prometheus, for a file that
// node_exporter's textfile collector reads. It follows Prometheus' practices: base
// units, the unit at the end of a name, ratios from 0 to 1 instead of percentages,
// times as Unix time in seconds.
//
// An unknown figure has no sample, rather than a 0 or a NaN. Samples carry no time,
// which the collector rejects, and of the account the beginning of its hash alone.
func writePrometheus(all poll.Plans) string {
	families := make([]string, len(prometheus))
	for i, f := range prometheus {
		var samples []sample
		for _, s := range all {
			for _, one := range f.of(s) {
				one.labels = slices.Concat(planLabels(s), one.labels)
				samples = append(samples, one)
			}
		}
		families[i] = family(f.name, f.help, samples...)
	}
	return strings.Join(families, "")
}

// planLabels tell a plan's samples from another one's. A plan whose account is unknown
// beside another of its product has its number for a hash.
func planLabels(s poll.State) []string {
	_, number, _ := strings.Cut(s.Name, ":")
	return []string{"product", string(cmp.Or(s.Snapshot.Plan.Product, usage.Windsurf)), "account", cmp.Or(s.Hash, number)}
}

// metric is a metric with the samples of a plan.
type metric struct {
	name, help string
	of         func(poll.State) []sample
}

// prometheus are all metrics.
var prometheus = []metric{
	{"up", "Whether the figures are fresh (1), or old or missing (0).", func(s poll.State) []sample {
		return []sample{{value: truth(isFresh(s) && !s.Snapshot.Source.Stale)}}
	}},
	{"problems", "What keeps figures from being known, by its code in status --json.", func(s poll.State) []sample {
		return counts(newDocumentPlan(s).Problems)
	}},
	{"notices", "What concerns money beside the figures, by its code in status --json.", func(s poll.State) []sample {
		return counts(newDocumentPlan(s).Notices)
	}},
	{"info", "The plan, what it is counted in, and where that was read.", func(s poll.State) []sample {
		return []sample{info(newDocumentPlan(s))}
	}},
	{"fetch_timestamp_seconds", "When the figures were had, if that is known.", figured(func(s usage.Snapshot) []sample {
		return timestamp(s.Source.FetchedAt)
	})},
	metered("meter_state", "Which state the meter is in: 1 for that one, 0 for the others.", func(_ usage.Snapshot, m usage.Meter) []sample {
		states := []usage.State{usage.StateOK, usage.StateExhausted, usage.StateUnlimited, usage.StateRolledOver, usage.StateUnreadable}
		if m.BeginsWithUse() {
			states = append(states, usage.StateNotStarted)
		}
		return choice("state", m.State, states...)
	}),
	metered("meter_binding", "Whether the meter is the one that stops the user first (1) or not (0).", func(s usage.Snapshot, m usage.Meter) []sample {
		binding, bound := s.Binding()
		return []sample{{value: truth(bound && m.ID == binding.ID)}}
	}),
	metered("meter_remaining_ratio", "The share of the total that is left, 0 to 1.", func(_ usage.Snapshot, m usage.Meter) []sample {
		return ratio(m.RemainingPercent())
	}),
	metered("meter_used_credits", "What is used of the total.", counted(usage.UnitCredits, used)),
	metered("meter_total_credits", "What was granted or bought.", counted(usage.UnitCredits, total)),
	metered("meter_remaining_credits", "What is left of the total.", counted(usage.UnitCredits, remaining)),
	metered("meter_used_acus", "What is used of the total.", counted(usage.UnitACU, used)),
	metered("meter_total_acus", "What was granted.", counted(usage.UnitACU, total)),
	metered("meter_remaining_acus", "What is left of the total.", counted(usage.UnitACU, remaining)),
	metered("meter_used_requests", "What is used of the total.", counted(usage.UnitRequests, used)),
	metered("meter_total_requests", "What was granted.", counted(usage.UnitRequests, total)),
	metered("meter_remaining_requests", "What is left of the total.", counted(usage.UnitRequests, remaining)),
	metered("meter_used_dollars", "What is spent, of the total where there is one.", counted(usage.UnitUSD, used)),
	metered("meter_total_dollars", "What is included, or the limit.", counted(usage.UnitUSD, total)),
	metered("meter_remaining_dollars", "What is left of the total.", counted(usage.UnitUSD, func(m usage.Meter) usage.Amount {
		if !m.Total.Known() { // a balance
			return usage.Amount{}
		}
		return m.Remaining
	})),
	metered("meter_reset_timestamp_seconds", "When the meter resets.", func(_ usage.Snapshot, m usage.Meter) []sample {
		return timestamp(m.Window.End)
	}),
	metered("meter_pace", "The verdict on whether the meter lasts: 1 for that one, 0 for the others.", paced(func(p usage.Pace) []sample {
		return choice("verdict", p.Verdict, usage.VerdictUsedUp, usage.VerdictUnused, usage.VerdictTooEarly, usage.VerdictOnCourse, usage.VerdictTight, usage.VerdictRunsOut)
	})),
	metered("meter_lasts_ratio", "The chance that the meter lasts until its reset, 0 to 1.", paced(func(p usage.Pace) []sample {
		return ratio(p.Chance)
	})),
	metered("meter_projected_used_ratio", "The share of the total used at the reset, exceeded in one case of two; above 1 it does not last.", paced(func(p usage.Pace) []sample {
		return ratio(p.Projected)
	})),
	metered("meter_projected_used_low_ratio", "The share of the total used at the reset, exceeded in nine cases of ten.", paced(func(p usage.Pace) []sample {
		return ratio(p.Low)
	})),
	metered("meter_projected_used_high_ratio", "The share of the total used at the reset, exceeded in one case of ten.", paced(func(p usage.Pace) []sample {
		return ratio(p.High)
	})),
	metered("meter_runs_out_timestamp_seconds", "When nothing is left, in one case of two earlier, where that is before the reset.", paced(func(p usage.Pace) []sample {
		return timestamp(p.RunsOutAt)
	})),
	metered("meter_runs_out_from_timestamp_seconds", "When nothing is left, in one case of ten earlier, where that is before the reset.", paced(func(p usage.Pace) []sample {
		return timestamp(p.RunsOutFrom)
	})),
	metered("meter_runs_out_to_timestamp_seconds", "When nothing is left, in nine cases of ten earlier, where that is before the reset.", paced(func(p usage.Pace) []sample {
		return timestamp(p.RunsOutTo)
	})),
	{"extra_usage_balance_dollars", "What is drawn on behind the quota; below 0 it is a debt.", figured(func(s usage.Snapshot) []sample {
		return exact(usage.BalanceOf(s.Meters))
	})},
}

// figured has samples of a plan with figures alone.
func figured(of func(usage.Snapshot) []sample) func(poll.State) []sample {
	return func(s poll.State) []sample {
		if !s.HasFigures() {
			return nil
		}
		return of(s.Snapshot)
	}
}

// metered is a metric with one or more samples per meter that it applies to, with the
// meter as a label.
func metered(name, help string, of func(usage.Snapshot, usage.Meter) []sample) metric {
	return metric{name, help, figured(func(s usage.Snapshot) (all []sample) {
		for _, m := range s.Meters {
			for _, one := range of(s, m) {
				one.labels = slices.Concat([]string{"meter", string(m.ID)}, one.labels)
				all = append(all, one)
			}
		}
		return all
	})}
}

func used(m usage.Meter) usage.Amount      { return m.Used }
func total(m usage.Meter) usage.Amount     { return m.Total }
func remaining(m usage.Meter) usage.Amount { return m.Remaining }

func counted(unit usage.Unit, pick func(usage.Meter) usage.Amount) func(usage.Snapshot, usage.Meter) []sample {
	return func(_ usage.Snapshot, m usage.Meter) []sample {
		if m.Unit != unit {
			return nil
		}
		return exact(pick(m))
	}
}

func paced(pick func(usage.Pace) []sample) func(usage.Snapshot, usage.Meter) []sample {
	return func(_ usage.Snapshot, m usage.Meter) []sample {
		if m.Pace == nil {
			return nil
		}
		return pick(*m.Pace)
	}
}

// sample is one figure; its labels alternate names and values.
type sample struct {
	labels []string
	value  string
}

func exact(a usage.Amount) []sample {
	if !a.Known() {
		return nil
	}
	return []sample{{value: a.Decimal(6)}}
}

// ratio converts per cent to a ratio.
func ratio(a usage.Amount) []sample {
	if !a.Known() {
		return nil
	}
	return []sample{{value: strconv.FormatFloat(float64(a.Millionths())/(100*usage.One), 'f', -1, 64)}}
}

func timestamp(t time.Time) []sample {
	if t.IsZero() {
		return nil
	}
	return []sample{{value: strconv.FormatInt(t.Unix(), 10)}}
}

// choice has a sample for each possible value of a state, so that no series ends when
// the value changes.
func choice[T ~string](name string, chosen T, all ...T) []sample {
	samples := make([]sample, len(all))
	for i, value := range all {
		samples[i] = sample{[]string{name, string(value)}, truth(value == chosen)}
	}
	return samples
}

// counts is the number of messages with each code, in the order of the codes.
func counts(messages []documentMessage) []sample {
	times := map[string]int{}
	for _, m := range messages {
		times[m.Code]++
	}
	samples := make([]sample, 0, len(times))
	for _, code := range slices.Sorted(maps.Keys(times)) {
		samples = append(samples, sample{[]string{"code", code}, strconv.Itoa(times[code])})
	}
	return samples
}

func info(d documentPlan) sample {
	one := sample{[]string{"billing", string(d.Billing)}, "1"}
	label := func(name string, value *string) {
		if value != nil && *value != "" {
			one.labels = append(one.labels, name, *value)
		}
	}
	label("plan", d.Plan)
	label("source", (*string)(&d.Source.Kind))
	label("variant", d.Source.Variant)
	return one
}

func truth(is bool) string {
	if is {
		return "1"
	}
	return "0"
}

// family is a metric in the format, or "" without samples. All are gauges: a server's
// counters may fall.
func family(name, help string, samples ...sample) string {
	if len(samples) == 0 {
		return ""
	}
	name = "windsock_" + name
	lines := []string{"# HELP " + name + " " + help, "# TYPE " + name + " gauge"}
	for _, s := range samples {
		var labels []string
		for pair := range slices.Chunk(s.labels, 2) {
			labels = append(labels, pair[0]+`="`+labelValue.Replace(strings.ToValidUTF8(pair[1], "�"))+`"`)
		}
		braces := ""
		if len(labels) > 0 {
			braces = "{" + strings.Join(labels, ",") + "}"
		}
		lines = append(lines, name+braces+" "+s.value)
	}
	return strings.Join(lines, "\n") + "\n"
}

// labelValue escapes the value of a label.
var labelValue = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
