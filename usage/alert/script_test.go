package alert

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/cursor"
	"windsock/usage/poll"
	"windsock/usage/windsurf"
	"windsock/usage/words"
)

// A script is a sequence of answers and events, a line each:
//
//	+5m daily=19 weekly=60 | Daily quota: 19 % left
//
// is an answer five minutes after the last line, and the alert that follows: its
// title, and the titles of the alerts that it covers. Figures are
//
//	daily=19        what is left, in percent; weekly= as well
//	prompt=97/500   what is left of how much; flex= and acu= as well, or
//	                prompt=unlimited
//	balance=12.40   extra usage in dollars
//	topup=30/100    what auto top-up has spent
//
// A quota's figure may be "?" (unreadable) and end in ~7m (its reset, that much
// later), in ! (no reset) or in @over (a reset that has passed). A figure that
// ends in :runs_out has that verdict, established and half-way to the reset; other
// verdicts have their names. :timely_runs_out is just worth an alert. :early_runs_out,
// :late_runs_out and :runs_out_at_last are not. :runs_out_between has a range and a
// budget, and :switches continues with flex credits. Words among the figures are
//
//	refused   the notifier does not take the alert
//	fail      the fetch fails; there are no figures then
//	stale, cache, file   the source of the answer
//	account=b the account, else it is a; plan= is its plan
//
// and lines without a + are events: restart, mute and unmute with a meter,
// store with its failure, and config with a name.

// world is the state of a script.
type world struct {
	tb     testing.TB
	now    time.Time
	watch  *Watch
	store  *fakeStore
	config map[string]Config
	last   poll.State
	// told is the last alert that was due, and shown the last one that was taken.
	told, shown *Alert
}

// monday is the start of scripts: 22 hours before the daily reset, six days before the
// weekly one and sixteen before the cycle's.
var monday = time.Date(2026, time.February, 2, 10, 0, 0, 0, time.UTC)

func newWorld(tb testing.TB) *world {
	tb.Helper()
	w := &world{tb: tb, now: monday, store: &fakeStore{}}
	w.restart(DefaultConfig())
	return w
}

func (w *world) restart(c Config) {
	w.watch = &Watch{Store: w.store, ReadSalt: w.store.salt, Config: c}
}

// play runs a script and returns it with the alerts that were really shown.
func play(tb testing.TB, script string, configs map[string]Config) string {
	tb.Helper()
	w := newWorld(tb)
	w.config = configs
	return w.play(script)
}

func (w *world) play(script string) string {
	w.tb.Helper()
	var out []string
	for line := range strings.Lines(script) {
		said, _, _ := strings.Cut(strings.TrimSpace(line), "|")
		said = strings.TrimSpace(said)
		if said == "" {
			continue
		}
		if told := w.step(strings.Fields(said)); told != "" {
			said += " | " + told
		}
		out = append(out, said)
	}
	return strings.Join(out, "\n")
}

func (w *world) step(fields []string) string {
	w.tb.Helper()
	ctx := w.tb.Context()
	if !strings.HasPrefix(fields[0], "+") && !strings.HasPrefix(fields[0], "-") {
		w.event(ctx, fields)
		return ""
	}
	away, err := time.ParseDuration(fields[0])
	if err != nil {
		w.tb.Fatal(err)
	}
	w.now = w.now.Add(away)
	state, refused := w.answer(fields[1:])
	a := w.watch.See(ctx, poll.Plans{state})
	// The same state comes once a minute.
	if again := w.watch.See(ctx, poll.Plans{state}); again != nil {
		w.tb.Errorf("%v: %s is told again for the same answer", fields, again.Title(words.Words{}))
	}
	if a == nil {
		return ""
	}
	w.told = a
	if !refused {
		w.shown = a
		w.watch.Told(ctx, *a)
	}
	told := a.Title(words.Words{})
	if also := a.others(words.Words{}); also != "" {
		told += ". " + also
	}
	return told
}

func (w *world) event(ctx context.Context, fields []string) {
	w.tb.Helper()
	switch fields[0] {
	case "restart":
		w.restart(w.watch.Config)
	case "mute", "unmute":
		w.watch.SetMute(ctx, w.last.Snapshot.Plan, usage.MeterID(fields[1]), fields[0] == "mute")
	case "store":
		w.store.befall(fields[1])
	case "config":
		c, ok := w.config[fields[1]]
		if !ok {
			w.tb.Fatalf("no config %s", fields[1])
		}
		w.watch.Config = c
	default:
		w.tb.Fatalf("no event %v", fields)
	}
}

// answer makes the state that a poller would send.
func (w *world) answer(told []string) (state poll.State, refused bool) {
	w.tb.Helper()
	kind, account, plan := usage.KindLanguageServer, "a", "Pro"
	fetched, stale := w.now, false
	strategy := "UNSPECIFIED"
	fields := []string{w.cycle()}
	var pools, spend []string // of Cursor
	paces := map[usage.MeterID]string{}
	for _, word := range told {
		name, value, _ := strings.Cut(word, "=")
		value, pace, _ := strings.Cut(value, ":")
		switch name {
		case "refused":
			refused = true
		case "fail":
			w.last.At, w.last.Err = w.now, errors.New("no answer")
			return w.last, false
		case "stale":
			stale = true
		case "cache":
			kind, fetched = usage.KindCache, time.Time{}
		case "file":
			kind = usage.KindFile
		case "account":
			account = value
		case "plan":
			plan = value
		case "daily", "weekly":
			id := usage.MeterID(name + "_quota")
			paces[id] = pace
			fields = append(fields, w.quota(name, value))
			strategy = "QUOTA"
		case "prompt", "flex":
			id := usage.MeterID(name + "_credits")
			paces[id] = pace
			fields = append(fields, w.pool(name, value))
			strategy = "CREDITS"
		case "acu":
			paces[usage.ACU] = pace
			left, total := w.pair(value)
			fields = append(fields, fmt.Sprintf(`"acuConsumed":%v,"acuLimit":%v`, total-left, total))
			strategy = "ACU"
		case "balance":
			dollars := w.number(value)
			fields = append(fields, fmt.Sprintf(`"overageBalanceMicros":"%.0f"`, dollars*1e6))
		case "own", "other":
			field := map[string]string{"own": "auto", "other": "api"}[name]
			pools = append(pools, fmt.Sprintf(`"%sPercentUsed":%v`, field, 100-w.number(value)))
		case "demand":
			used, limit, limited := strings.Cut(value, "/")
			spend = append(spend, fmt.Sprintf(`"individualUsed":%.0f`, 100*w.number(used)))
			if limited {
				spend = append(spend, fmt.Sprintf(`"individualLimit":%.0f`, 100*w.number(limit)))
			}
		case "topup":
			spent, limit, _ := strings.Cut(value, "/")
			fields = append(fields, fmt.Sprintf(`"topUpStatus":{"topUpEnabled":true,"topUpSpent":%q,"monthlyTopUpAmount":%s}`, spent, limit))
		default:
			w.tb.Fatalf("no word %s", word)
		}
	}
	raw := fmt.Sprintf(`{"userStatus":{"userId":%q,"email":"%s@example.com","planStatus":{"planInfo":{"planName":%q,"billingStrategy":"BILLING_STRATEGY_%s"},%s}}}`,
		account, account, plan, strategy, strings.Join(fields, ","))
	decode := windsurf.Decode
	if len(pools) > 0 {
		decode, kind = cursor.Decode, usage.KindCloud
		raw = w.cursors(account, strings.Join(pools, ","), strings.Join(spend, ","))
	}
	s, err := decode([]byte(raw), usage.Source{Kind: kind, FetchedAt: fetched})
	if err != nil {
		w.tb.Fatalf("%v: %v", told, err)
	}
	s = s.At(w.now)
	s.Source.Stale = stale
	for i, m := range s.Meters {
		s.Meters[i].Pace = paceOf(m, paces[m.ID], w.now)
	}
	w.last = poll.State{At: w.now, Snapshot: s}
	return w.last, refused
}

// cursors are the answers of Cursor's service.
func (w *world) cursors(account, pools, spend string) string {
	start := w.started()
	return fmt.Sprintf(`{"user":%q,"GetCurrentPeriodUsage":{"billingCycleStart":"%d","billingCycleEnd":"%d","planUsage":{%s},"spendLimitUsage":{%s}}}`,
		account, start.UnixMilli(), start.AddDate(0, 1, 0).UnixMilli(), pools, spend)
}

func (w *world) cycle() string {
	start := w.started()
	return fmt.Sprintf(`"planStart":%q,"planEnd":%q`, start.Format(time.RFC3339), start.AddDate(0, 1, 0).Format(time.RFC3339))
}

// started is when the cycle began, on the 18th.
func (w *world) started() time.Time {
	start := time.Date(w.now.Year(), w.now.Month(), 18, 9, 0, 0, 0, time.UTC)
	if start.After(w.now) {
		start = start.AddDate(0, -1, 0)
	}
	return start
}

func (w *world) quota(name, value string) string {
	w.tb.Helper()
	reset := time.Date(w.now.Year(), w.now.Month(), w.now.Day(), 8, 0, 0, 0, time.UTC)
	for !reset.After(w.now) || name == "weekly" && reset.Weekday() != time.Sunday {
		reset = reset.AddDate(0, 0, 1)
	}
	value, over := strings.CutSuffix(value, "@over")
	if over {
		reset = w.now.Add(-time.Minute)
	}
	value, jitter, _ := strings.Cut(value, "~")
	if jitter != "" {
		d, err := time.ParseDuration(jitter)
		if err != nil {
			w.tb.Fatal(err)
		}
		reset = reset.Add(d)
	}
	value, without := strings.CutSuffix(value, "!")
	field := fmt.Sprintf(`"%sQuotaRemainingPercent":%q`, name, value)
	if !without {
		field += fmt.Sprintf(`,"%sQuotaResetAtUnix":"%d"`, name, reset.Unix())
	}
	return field
}

func (w *world) pool(name, value string) string {
	w.tb.Helper()
	name = strings.ToUpper(name[:1]) + name[1:]
	switch value {
	case "unlimited":
		return fmt.Sprintf(`"available%sCredits":-1`, name)
	case "?":
		return fmt.Sprintf(`"available%sCredits":"?"`, name)
	}
	left, total := w.pair(value)
	return fmt.Sprintf(`"available%sCredits":%.0f,"used%sCredits":%.0f`, name, total*100, name, (total-left)*100)
}

func (w *world) pair(value string) (a, b float64) {
	w.tb.Helper()
	first, second, _ := strings.Cut(value, "/")
	return w.number(first), w.number(second)
}

func (w *world) number(text string) float64 {
	w.tb.Helper()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		w.tb.Fatal(err)
	}
	return n
}

// paceOf is a possible pace of a meter.
func paceOf(m usage.Meter, verdict string, now time.Time) *usage.Pace {
	if verdict == "" {
		return nil
	}
	p := &usage.Pace{Verdict: usage.Verdict(verdict), Confidence: usage.ConfidenceEstablished, Basis: usage.BasisHistory}
	half := now.Add(m.Window.End.Sub(now) / 2)
	if strings.Contains(verdict, "runs_out") {
		p.Verdict, p.Chance, p.RunsOutAt = usage.VerdictRunsOut, usage.Micros(30*usage.One), half
		p.RunsOutFrom = now.Add(m.Window.End.Sub(now) / 4)
	}
	switch verdict {
	case "rather_runs_out":
		p.Chance = usage.Micros(31 * usage.One)
	case "early_runs_out":
		p.Confidence = usage.ConfidenceEarly
	case "late_runs_out":
		p.RunsOutAt = m.Window.End.Add(-29 * time.Minute)
	case "timely_runs_out":
		p.RunsOutAt = m.Window.End.Add(-30 * time.Minute)
	case "sometime_runs_out":
		p.RunsOutAt, p.RunsOutFrom = time.Time{}, time.Time{}
	case "surely_runs_out":
		p.Chance, p.RunsOutTo, p.BudgetPerDay = usage.Micros(5*usage.One), m.Window.End.Add(-time.Hour), usage.Micros(7_350_000)
	case "switches":
		p.Verdict, p.Reason, p.SwitchesAt = usage.VerdictTight, usage.ReasonFlex, half
	}
	return p
}

// fakeStore is a Store that fails on demand.
type fakeStore struct {
	document           []byte
	unreadable, broken bool
	loads, saves       int
}

var errStore = errors.New("disk full")

func (s *fakeStore) Load(_ context.Context, name string) ([]byte, error) {
	s.loads++
	if s.unreadable || name != "alerts" {
		return nil, errStore
	}
	return s.document, nil
}

func (s *fakeStore) Save(ctx context.Context, name string, document []byte) error {
	if s.broken || name != "alerts" || ctx.Err() != nil {
		return errStore
	}
	s.saves++
	s.document = append([]byte(nil), document...)
	return nil
}

// salt is in the store, too.
func (s *fakeStore) salt(context.Context) ([]byte, error) {
	if s.unreadable {
		return nil, errStore
	}
	return []byte("salt"), nil
}

func (s *fakeStore) befall(what string) {
	switch what {
	case "breaks":
		s.broken = true
	case "unreadable":
		s.unreadable = true
	case "mended":
		s.broken, s.unreadable = false, false
	case "garbage":
		s.document = []byte(`{"version":1,"accounts":[{"acc`)
	case "newer":
		s.document = []byte(`{"version":2,"accounts":"elsewhere"}`)
	case "lost":
		s.document = nil
	}
}
