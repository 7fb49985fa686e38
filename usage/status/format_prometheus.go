package status

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"windsock/usage"
	"windsock/usage/poll"
)

// writePrometheus is a state in the text format of Prometheus, for a file that
// node_exporter's textfile collector reads. It follows Prometheus' practices: base
// units, the unit at the end of a name, ratios from 0 to 1 instead of percentages,
// times as Unix time in seconds.
//
// An unknown figure has no sample, rather than a 0 or a NaN. Samples carry no time,
// which the collector rejects, and nothing that identifies the account.
func writePrometheus(s poll.State) string {
	document := StateDocument(s)
	families := []string{
		family("up", "Whether the figures could be had (1) or not (0).", sample{value: truth(s.HasFigures() && s.Err == nil)}),
		family("problems", "What keeps figures from being known, by its code in status --json.", counts(document.Problems)...),
		family("notices", "What concerns money beside the figures, by its code in status --json.", counts(document.Notices)...),
		family("info", "The plan, what it is counted in, and where that was read.", info(document)),
	}
	if !s.HasFigures() {
		return strings.Join(families, "")
	}
	families = append(families, family("fetch_timestamp_seconds", "When the figures were had.", timestamp(s.Snapshot.Source.FetchedAt)...))
	for _, f := range meterFamilies {
		var all []sample
		for _, m := range s.Snapshot.Meters {
			for _, one := range f.of(s.Snapshot, m) {
				one.labels = slices.Concat([]string{"meter", string(m.ID)}, one.labels)
				all = append(all, one)
			}
		}
		families = append(families, family(f.name, f.help, all...))
	}
	families = append(families, family("extra_usage_balance_dollars", "What is drawn on behind the quota; below 0 it is a debt.", exact(usage.BalanceOf(s.Snapshot.Meters))...))
	return strings.Join(families, "")
}

// meterFamilies are the metrics with one or more samples per meter that they apply to,
// with the meter as a label.
var meterFamilies = []struct {
	name, help string
	of         func(usage.Snapshot, usage.Meter) []sample
}{
	{"meter_state", "Which state the meter is in: 1 for that one, 0 for the others.", func(_ usage.Snapshot, m usage.Meter) []sample {
		states := []usage.State{usage.StateOK, usage.StateExhausted, usage.StateUnlimited, usage.StateRolledOver, usage.StateUnreadable}
		if m.BeginsWithUse() {
			states = append(states, usage.StateNotStarted)
		}
		return choice("state", m.State, states...)
	}},
	{"meter_binding", "Whether the meter is the one that stops the user first (1) or not (0).", func(s usage.Snapshot, m usage.Meter) []sample {
		binding, bound := s.Binding()
		return []sample{{value: truth(bound && m.ID == binding.ID)}}
	}},
	{"meter_remaining_ratio", "The share of the total that is left, 0 to 1.", func(_ usage.Snapshot, m usage.Meter) []sample {
		return ratio(m.RemainingPercent())
	}},
	{"meter_used_credits", "What is used of the total.", counted(usage.UnitCredits, used)},
	{"meter_total_credits", "What was granted or bought.", counted(usage.UnitCredits, total)},
	{"meter_remaining_credits", "What is left of the total.", counted(usage.UnitCredits, remaining)},
	{"meter_used_acus", "What is used of the total.", counted(usage.UnitACU, used)},
	{"meter_total_acus", "What was granted.", counted(usage.UnitACU, total)},
	{"meter_remaining_acus", "What is left of the total.", counted(usage.UnitACU, remaining)},
	{"meter_reset_timestamp_seconds", "When the meter resets.", func(_ usage.Snapshot, m usage.Meter) []sample {
		return timestamp(m.Window.End)
	}},
	{"meter_pace", "The verdict on whether the meter lasts: 1 for that one, 0 for the others.", paced(func(p usage.Pace) []sample {
		return choice("verdict", p.Verdict, usage.VerdictUsedUp, usage.VerdictUnused, usage.VerdictTooEarly, usage.VerdictOnCourse, usage.VerdictTight, usage.VerdictRunsOut)
	})},
	{"meter_projected_used_ratio", "The share of the total that will be used at the reset; above 1 it does not last.", paced(func(p usage.Pace) []sample {
		return ratio(p.Projected)
	})},
	{"meter_runs_out_timestamp_seconds", "When nothing is left, where that is before the reset.", paced(func(p usage.Pace) []sample {
		return timestamp(p.RunsOutAt)
	})},
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

func info(d Document) sample {
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
