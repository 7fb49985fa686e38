package spend_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/spend"
)

// week is a server with two cascades in one workspace, one elsewhere, and one without.
func week() *server {
	s := &server{}
	day := func(n int) time.Time { return now.AddDate(0, 0, n) }
	quota := spend.Costs{QuotaPercent: usage.Micros(250_000), OverageUSD: usage.Micros(1_230_000)}
	s.put("a", now, prompt(day(-6), "opus"), answer(day(-6), "r1", "opus", credits(110)), prompt(day(-2), "swe"), answer(day(-2), "r2", "swe", credits(5)))
	s.put("b", now, prompt(day(-1), "opus"), answer(day(-1), "r3", "opus", credits(20)), answer(day(-1), "r4", "", spend.Costs{}))
	s.put("c", now, prompt(day(-1), "gpt"), answer(day(-1), "r5", "gpt", quota))
	s.put("d", now, prompt(day(-3), "opus"))
	for i, workspace := range []string{"file:///src/main", "file:///src/main", "vscode-remote://wsl%2Bubuntu/srv/some%20one/", ""} {
		s.list[i].Workspace = workspace
	}
	s.list[1].Title = ""
	return s
}

// brief is a row in short.
type brief struct {
	Key, Label string
	Credits    string
	Days       int
}

func briefly(report spend.Report) (all []brief) {
	for _, r := range report.Rows {
		all = append(all, brief{r.Key, r.Label, r.Credits.String(), r.Days})
	}
	return all
}

func TestSum(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	look := read(t, book(t, path), reading(week()))
	second := time.Second
	for name, c := range map[string]struct {
		query spend.Query
		want  []brief
	}{
		"by model": {spend.Query{By: spend.ByModel}, []brief{
			{"opus", "Claude Opus", "1.3", 3}, {"swe", "swe", "0.05", 1}, {"gpt", "gpt", "unknown", 1}, {"", "unknown", "unknown", 1},
		}},
		"by workspace": {spend.Query{By: spend.ByWorkspace}, []brief{
			{"file:///src/main", "main", "1.35", 3}, {"vscode-remote://wsl%2Bubuntu/srv/some%20one/", "some one", "unknown", 1}, {"", "unknown", "unknown", 1},
		}},
		"by cascade": {spend.Query{By: spend.ByCascade}, []brief{
			{"a", "Title of a", "1.15", 2}, {"b", "b", "0.2", 1}, {"c", "Title of c", "unknown", 1}, {"d", "Title of d", "unknown", 1},
		}},
		"by day": {spend.Query{By: spend.ByDay}, []brief{
			{"2026-01-28", "2026-01-28", "1.1", 1},
			{"2026-01-31", "2026-01-31", "unknown", 1},
			{"2026-02-01", "2026-02-01", "0.05", 1},
			{"2026-02-02", "2026-02-02", "0.2", 1},
		}},
		"cascades of a model": {spend.Query{By: spend.ByCascade, Only: map[spend.By]string{spend.ByModel: "opus"}}, []brief{
			{"a", "Title of a", "1.1", 1}, {"b", "b", "0.2", 1}, {"d", "Title of d", "unknown", 1},
		}},
		"days of a cascade and a model": {
			spend.Query{By: spend.ByDay, Only: map[spend.By]string{spend.ByModel: "swe", spend.ByCascade: "a"}},
			[]brief{{"2026-02-01", "2026-02-01", "0.05", 1}},
		},
		"models of a workspace": {
			spend.Query{By: spend.ByModel, Only: map[spend.By]string{spend.ByWorkspace: "file:///src/main"}},
			[]brief{{"opus", "Claude Opus", "1.3", 2}, {"swe", "swe", "0.05", 1}, {"", "unknown", "unknown", 1}},
		},
		"models of a day": {
			spend.Query{By: spend.ByModel, Only: map[spend.By]string{spend.ByDay: "2026-01-28"}}, []brief{{"opus", "Claude Opus", "1.1", 1}},
		},
		"cascades of no model":      {spend.Query{By: spend.ByCascade, Only: map[spend.By]string{spend.ByModel: ""}}, []brief{{"b", "b", "unknown", 1}}},
		"from the second of a step": {spend.Query{By: spend.ByDay, Since: now.AddDate(0, 0, -2)}, []brief{{"2026-02-01", "2026-02-01", "0.05", 1}, {"2026-02-02", "2026-02-02", "0.2", 1}}},
		"from a second later":       {spend.Query{By: spend.ByDay, Since: now.AddDate(0, 0, -2).Add(second)}, []brief{{"2026-02-02", "2026-02-02", "0.2", 1}}},
		"until the second of a step": {
			spend.Query{By: spend.ByDay, Since: now.AddDate(0, 0, -2), Until: now.AddDate(0, 0, -1)}, []brief{{"2026-02-01", "2026-02-01", "0.05", 1}},
		},
		"of no time":          {spend.Query{By: spend.ByDay, Since: now, Until: now}, nil},
		"of a time backwards": {spend.Query{By: spend.ByDay, Since: now, Until: now.AddDate(-1, 0, 0)}, nil},
		"of another plan":     {spend.Query{By: spend.ByDay, Plan: usage.Plan{Product: usage.Windsurf, Account: usage.NewAccount("x")}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.query.Plan == (usage.Plan{}) {
				c.query.Plan = plan
			}
			if c.query.Until.IsZero() {
				c.query.Until = now
			}
			report, err := book(t, path).Sum(t.Context(), c.query, look, label)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, briefly(report), c.want)
			var total spend.Figures
			for _, r := range report.Rows {
				total = total.Plus(r.Figures)
			}
			equal(t, report.Total, total)
		})
	}
}

// The dearest are first, by the plan's kind of cost.
func TestOrder(t *testing.T) {
	t.Parallel()
	acu := func(n int64) spend.Costs {
		return spend.Costs{ACU: usage.Micros(n), OverageUSD: usage.Micros(usage.One / n)}
	}
	s := &server{}
	for id, costs := range map[string]spend.Costs{"a": acu(5), "b": acu(9), "c": {}, "d": acu(9), "e": {OverageUSD: usage.Micros(5)}} {
		s.put(id, now, answer(now, id, "opus", costs))
	}
	b := book(t, tempPath(t))
	look := read(t, b, reading(s))
	var order string
	for _, r := range sum(t, b, spend.ByCascade, look).Rows {
		order += r.Key
	}
	equal(t, order, "bdaec")
}

// Figures that no server can mean are unknown, and sums of the largest ones hold.
func TestLargeFigures(t *testing.T) {
	t.Parallel()
	s := &server{}
	large, low, n, m := usage.Micros(1<<40), usage.Micros(-1), int64(1<<40), int64(1<<62)
	s.put(
		"a", now,
		answer(now, "r1", "opus", spend.Costs{Credits: large, ACU: usage.Micros(1 << 62), QuotaPercent: low}),
		answer(now, "r2", "opus", spend.Costs{Credits: large}),
	)
	s.steps["a"][0].Tokens, s.steps["a"][1].Tokens = spend.Tokens{Input: &n, Output: &m}, spend.Tokens{Input: &n}
	b := book(t, tempPath(t))
	both := int64(1 << 41)
	want := spend.Figures{Costs: spend.Costs{Credits: usage.Micros(1 << 41)}, Tokens: spend.Tokens{Input: &both}, ModelSteps: 2}
	equal(t, sum(t, b, spend.ByModel, read(t, b, reading(s))).Total, want)
}

func TestMeters(t *testing.T) {
	t.Parallel()
	moved := func(meter usage.MeterID, hundredths int64) spend.Moved {
		return spend.Moved{Meter: meter, Moved: usage.Micros(hundredths * usage.One / 100)}
	}
	elsewhere := func(m spend.Moved, hundredths int64) spend.Moved {
		m.Elsewhere = usage.Micros(hundredths * usage.One / 100)
		return m
	}
	unknown := spend.Moved{Meter: usage.FlexCredits, From: now}
	prompts, flex := moved(usage.PromptCredits, 150), moved(usage.FlexCredits, 10)
	daily, weekly, acu, extra := moved(usage.DailyQuota, 25), moved(usage.WeeklyQuota, 5), moved(usage.ACU, 7), moved(usage.ExtraUsage, 100)
	all := spend.Query{Since: now.AddDate(0, 0, -7), Until: now.AddDate(0, 0, 1)}
	for name, c := range map[string]struct {
		moved []spend.Moved
		query spend.Query
		want  []spend.Moved
	}{
		"one of credits":      {[]spend.Moved{prompts}, all, []spend.Moved{elsewhere(prompts, 15)}},
		"two of credits":      {[]spend.Moved{prompts, flex}, all, []spend.Moved{elsewhere(prompts, 25), flex}},
		"one of two unknown":  {[]spend.Moved{prompts, unknown}, all, []spend.Moved{prompts, unknown}},
		"quotas":              {[]spend.Moved{daily, weekly}, all, []spend.Moved{elsewhere(daily, 0)}},
		"a weekly quota":      {[]spend.Moved{weekly, extra}, all, []spend.Moved{elsewhere(weekly, -20), elsewhere(extra, -23)}},
		"no step tells it":    {[]spend.Moved{acu}, all, []spend.Moved{acu}},
		"no step at all":      {[]spend.Moved{prompts, acu}, spend.Query{Since: now.Add(-time.Hour), Until: now}, []spend.Moved{elsewhere(prompts, 150), elsewhere(acu, 7)}},
		"not of cascades":     {[]spend.Moved{moved(usage.Gemini5h, 3)}, all, nil},
		"narrowed":            {[]spend.Moved{prompts}, spend.Query{Since: all.Since, Until: all.Until, Only: map[spend.By]string{spend.ByModel: "opus"}}, nil},
		"after the last look": {[]spend.Moved{prompts}, spend.Query{Since: now, Until: all.Until}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := history.New(history.Config{Path: tempPath(t), Location: time.UTC})
			t.Cleanup(func() { _ = store.Close() })
			b := spend.New(spend.Config{
				Room: store, Salt: store.Salt, Location: time.UTC,
				Moved: func(ctx context.Context, of usage.Plan, since, until time.Time) ([]spend.Moved, error) {
					salt, err := store.Salt(ctx)
					if err != nil || of.Key(salt) != plan.Key(salt) || !since.Equal(c.query.Since) || !until.Equal(now) {
						t.Errorf("asked for %v from %v to %v", of, since, until)
					}
					return c.moved, nil
				},
			})
			look := read(t, b, reading(week()))
			c.query.Plan, c.query.By = plan, spend.ByModel
			report, err := b.Sum(t.Context(), c.query, look, label)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, report.Meters, c.want)
		})
	}
}

// What an interrupted reading has kept stands beside no meter: they are as of the last
// reading that came to its end.
func TestMetersAfterAnInterruptedReading(t *testing.T) {
	t.Parallel()
	store := history.New(history.Config{Path: tempPath(t), Location: time.UTC})
	t.Cleanup(func() { _ = store.Close() })
	b := spend.New(spend.Config{
		Room: store, Salt: store.Salt, Location: time.UTC,
		Moved: func(context.Context, usage.Plan, time.Time, time.Time) ([]spend.Moved, error) {
			return []spend.Moved{{Meter: usage.PromptCredits, Moved: usage.Micros(4 * usage.One)}}, nil
		},
	})
	s, later := threeCascades(), now.Add(time.Hour)
	read(t, b, reading(s))
	for _, id := range []string{"a", "b", "c"} {
		s.put(id, later, append(s.steps[id], answer(later, "more of "+id, "opus", credits(100)))...)
	}
	r := reading(s)
	r.Now = later
	ctx, interrupt := context.WithCancel(t.Context())
	r.Progress = func(int, int) { interrupt() }
	if _, err := b.Read(ctx, r); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	report := sum(t, b, spend.ByModel, spend.Look{})
	equal(t, report.Total.Credits, usage.Micros(4*usage.One))
	equal(t, report.Meters[0].Elsewhere, usage.Micros(1*usage.One))
}

// What a cascade costs that was left out is not spent elsewhere.
func TestMetersOfAPartialReport(t *testing.T) {
	t.Parallel()
	store := history.New(history.Config{Path: tempPath(t), Location: time.UTC})
	t.Cleanup(func() { _ = store.Close() })
	moved := []spend.Moved{{Meter: usage.PromptCredits, Moved: usage.Micros(4 * usage.One)}}
	b := spend.New(spend.Config{
		Room: store, Salt: store.Salt, Location: time.UTC,
		Moved: func(context.Context, usage.Plan, time.Time, time.Time) ([]spend.Moved, error) { return moved, nil },
	})
	broken := threeCascades()
	broken.before = func(a ask) error {
		if a.Cascade == "b" {
			return errors.New("broken")
		}
		return nil
	}
	for name, s := range map[string]*server{"a turn runs": threeCascades().run("b"), "one cannot be read": broken} {
		report := sum(t, b, spend.ByModel, read(t, b, reading(s)))
		if !report.Partial {
			t.Errorf("%s: it is whole", name)
		}
		equal(t, report.Meters, moved)
	}
	report := sum(t, b, spend.ByModel, read(t, b, reading(threeCascades())))
	equal(t, report.Meters[0].Elsewhere, usage.Micros(1*usage.One))
	// A turn that has waited for a person since before that time has cost nothing in it.
	waits := threeCascades().run("b")
	waits.list[1].Modified = now.AddDate(0, 0, -8)
	report, err := b.Sum(t.Context(), spend.Query{Plan: plan, By: spend.ByModel, Since: now.AddDate(0, 0, -7), Until: now}, read(t, b, reading(waits)), label)
	if err != nil || report.Partial {
		t.Errorf("partial %v, %v", report.Partial, err)
	}
}

func TestNothingIsKeptYet(t *testing.T) {
	t.Parallel()
	b := book(t, tempPath(t))
	report := sum(t, b, spend.ByModel, spend.Look{})
	if len(report.Rows) > 0 || !report.Read.IsZero() || report.Plan == "" {
		t.Errorf("%+v", report)
	}
	if plans, err := b.Plans(t.Context()); err != nil || plans != nil {
		t.Errorf("%v, %v", plans, err)
	}
}

func TestMovedFails(t *testing.T) {
	t.Parallel()
	store := history.New(history.Config{Path: tempPath(t), Location: time.UTC})
	t.Cleanup(func() { _ = store.Close() })
	failed := errors.New("failed")
	b := spend.New(spend.Config{
		Room: store, Salt: store.Salt, Location: time.UTC,
		Moved: func(context.Context, usage.Plan, time.Time, time.Time) ([]spend.Moved, error) { return nil, failed },
	})
	look := read(t, b, reading(week()))
	if _, err := b.Sum(t.Context(), spend.Query{Plan: plan, By: spend.ByModel, Until: now}, look, label); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}

// Without anything kept, what is asked of no account or a kept one makes no database.
func TestSumMakesNothing(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]usage.Plan{"unknown": {Product: usage.Windsurf}, "kept": usage.KeptPlan("3fa91c")} {
		path := tempPath(t)
		b := book(t, path)
		report, err := b.Sum(t.Context(), spend.Query{Plan: of, Since: now.AddDate(0, 0, -7), Until: now, By: spend.ByModel}, spend.Look{}, label)
		if err != nil || !report.Read.IsZero() || len(report.Rows) > 0 {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
		if read, err := b.LastRead(t.Context(), of); err != nil || !read.IsZero() {
			t.Errorf("%s: read %v, %v", name, read, err)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: the database: %v", name, err)
		}
	}
}
