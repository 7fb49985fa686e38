package poll

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/usagetest"
)

// seat is a variant's reading: an account with so much of the week left, else an error.
type seat struct {
	product usage.Product
	variant string
	account string
	left    int
	code    codedError
}

func (s seat) reading() Reading {
	r := Reading{Product: s.product, Variant: s.variant, App: s.variant}
	if s.code != "" {
		r.Err = s.code
		return r
	}
	user := ""
	if s.account != "" {
		user = fmt.Sprintf(`"userId":%q,`, s.account)
	}
	r.Raw = fmt.Appendf(nil, `{"userStatus":{%s"planStatus":{"weeklyQuotaRemainingPercent":%d,"weeklyQuotaResetAtUnix":%d}}}`,
		user, s.left, usagetest.Noon.Add(100*24*time.Hour).Unix())
	return r
}

// seats answers as the seats stand at the moment.
type seats map[time.Duration][]seat

// at are the seats since the latest moment.
func (all seats) at(now time.Duration) []seat {
	latest := time.Duration(-1)
	for since := range all {
		if since <= now && since > latest {
			latest = since
		}
	}
	return all[latest]
}

// summary is a line for each plan.
func summary(all Plans) string {
	var lines []string
	for _, s := range all {
		line := s.Name + " of " + s.Snapshot.Source.App
		if m, ok := s.Snapshot.Meter(usage.WeeklyQuota); ok {
			line += ", " + m.Remaining.Decimal(0) + " left"
		}
		if s.Snapshot.Source.Stale {
			line += ", stale"
		}
		if s.Err != nil {
			line += ", " + string(s.Err.(codedError)) //nolint:errorlint // the test's own
		}
		if s.Lead {
			line += ", leads"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// first and second are seats of Windsurf.
func first(account string, left int) seat { return seat{usage.Windsurf, "windsurf", account, left, ""} }

func second(account string, left int) seat { return seat{usage.Windsurf, "next", account, left, ""} }

func without(s seat, code codedError) seat {
	s.code = code
	return s
}

// The plans at moments, as the seats come, go and change.
func TestPlans(t *testing.T) {
	t.Parallel()
	const absent = "not_running"
	salt := []byte("salt")
	hash := func(account string) string {
		return usage.Plan{Product: usage.Windsurf, Account: usage.NewAccount("user", account)}.Short(salt)
	}
	one, two := hash("one"), hash("two")
	other := seat{usage.Antigravity, "antigravity", "", 0, absent}
	tests := []struct {
		name  string
		seats seats
		lead  string
		want  map[time.Duration]string
	}{
		{
			"one_account_twice_is_told_by_the_first",
			seats{0: {first("one", 60), second("one", 50), other}},
			"",
			map[time.Duration]string{time.Second: "windsurf of windsurf, 60 left, leads"},
		},
		{
			"two_accounts",
			seats{0: {first("one", 60), second("two", 50), other}},
			"",
			map[time.Duration]string{time.Second: "windsurf:" + one + " of windsurf, 60 left, leads\nwindsurf:" + two + " of next, 50 left"},
		},
		{
			"the_chosen_one_leads",
			seats{0: {first("one", 60), second("two", 50), other}},
			"windsurf:" + two,
			map[time.Duration]string{time.Second: "windsurf:" + one + " of windsurf, 60 left\nwindsurf:" + two + " of next, 50 left, leads"},
		},
		{
			"a_chosen_one_that_is_gone_does_not",
			seats{0: {first("one", 60), other}},
			"antigravity",
			map[time.Duration]string{time.Second: "windsurf of windsurf, 60 left, leads"},
		},
		{
			"another_variant_tells_of_the_account_when_the_first_ends",
			seats{
				0:           {first("one", 60), second("one", 60), other},
				time.Minute: {without(first("", 0), absent), second("one", 55), other},
			},
			"",
			map[time.Duration]string{
				time.Second: "windsurf of windsurf, 60 left, leads", 301 * time.Second: "windsurf of next, 55 left, leads",
			},
		},
		{
			"one_of_two_ends_and_comes_back",
			seats{
				0:               {first("one", 60), second("two", 50), other},
				time.Minute:     {without(first("", 0), absent), second("two", 45), other},
				6 * time.Minute: {first("one", 58), second("two", 44), other},
			},
			"",
			map[time.Duration]string{
				301 * time.Second: "windsurf:" + one + " of windsurf, 60 left, stale, not_running, leads\nwindsurf:" + two + " of next, 45 left",
				601 * time.Second: "windsurf:" + one + " of windsurf, 58 left, leads\nwindsurf:" + two + " of next, 44 left",
			},
		},
		{
			"another_account_on_one_of_two",
			seats{
				0:           {first("one", 60), second("two", 50), other},
				time.Minute: {first("three", 99), second("two", 45), other},
			},
			"",
			map[time.Duration]string{
				301 * time.Second: "windsurf:" + hash("three") + " of windsurf, 99 left, leads\nwindsurf:" + two + " of next, 45 left",
			},
		},
		{
			"both_fail_each_in_its_way",
			seats{
				0:           {first("one", 60), second("two", 50), other},
				time.Minute: {without(second("", 0), "no_token"), without(first("", 0), absent), other},
			},
			"",
			map[time.Duration]string{
				301 * time.Second: "windsurf:" + one + " of windsurf, 60 left, stale, not_running, leads\nwindsurf:" + two + " of next, 50 left, no_token",
			},
		},
		{
			"another_account_that_the_first_has_too",
			seats{
				0:           {first("one", 60), second("two", 50), other},
				time.Minute: {first("one", 58), second("one", 58), other},
			},
			"windsurf:" + two,
			map[time.Duration]string{301 * time.Second: "windsurf of windsurf, 58 left, leads"},
		},
		{
			"an_answer_without_an_account_is_about_the_one_before",
			seats{
				0:           {first("one", 60), second("two", 50), other},
				time.Minute: {first("", 59), second("", 49), other},
			},
			"",
			map[time.Duration]string{
				301 * time.Second: "windsurf:" + one + " of windsurf, 59 left, leads\nwindsurf:" + two + " of next, 49 left",
			},
		},
		{
			"one_that_fails_beside_one_that_works_is_not_named",
			seats{0: {without(first("", 0), "not_signed_in"), second("two", 50), other}},
			"",
			map[time.Duration]string{time.Second: "windsurf of next, 50 left, leads"},
		},
		{
			"a_product_that_fails_beside_one_that_works_is_named",
			seats{0: {first("one", 60), without(other, "not_signed_in")}},
			"",
			map[time.Duration]string{time.Second: "windsurf of windsurf, 60 left, leads\nantigravity of antigravity, not_signed_in"},
		},
		{
			"none_runs",
			seats{0: {without(first("", 0), absent), other}},
			"",
			map[time.Duration]string{time.Second: "windsurf of windsurf, not_running, leads"},
		},
		{
			"one_of_two_products_fails_and_none_works",
			seats{0: {without(first("", 0), absent), without(other, "no_token")}},
			"",
			map[time.Duration]string{time.Second: "antigravity of antigravity, no_token, leads"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := plansBench(t, tt.seats, Config{
					Settings: Settings{Lead: tt.lead}, Salt: func(context.Context) ([]byte, error) { return salt, nil },
				})
				began := time.Now()
				for _, at := range []time.Duration{time.Second, 301 * time.Second, 601 * time.Second} {
					time.Sleep(at - time.Since(began))
					synctest.Wait()
					if want, ok := tt.want[at]; ok {
						if diff := cmp.Diff(want, summary(present(p))); diff != "" {
							t.Errorf("after %v (-want +got):\n%s", at, diff)
						}
					}
				}
			})
		})
	}
}

// plansBench is a running poller of the seats.
func plansBench(t *testing.T, all seats, c Config) *Poller {
	t.Helper()
	began := time.Now()
	c.Now = func() time.Time { return usagetest.Noon.Add(time.Since(began)) }
	if c.Fetch == nil {
		c.Fetch = func(_ context.Context, ask Ask) (readings []Reading) {
			for _, s := range all.at(time.Since(began)) {
				if s.product == ask.Products[0] || len(ask.Products) > 1 {
					readings = append(readings, s.reading())
				}
			}
			return readings
		}
	}
	p := New(c)
	for _, d := range p.products {
		d.schedule.random = func() float64 { return 0.5 }
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return p
}

// present are the plans at the moment.
func present(p *Poller) Plans {
	plans, cancel := p.Subscribe()
	defer cancel()
	return <-plans
}

// The first figures come together, so that no plan leads for a moment only; those of a
// slow product come later.
func TestPlansComeTogether(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		takes time.Duration
		want  map[time.Duration]string
	}{
		{"soon", time.Second, map[time.Duration]string{
			500 * time.Millisecond: "windsurf of , leads", time.Second: "windsurf of windsurf, 60 left, leads\nantigravity of antigravity, timeout",
		}},
		{"late", 5 * time.Second, map[time.Duration]string{
			1900 * time.Millisecond: "windsurf of , leads", 2 * time.Second: "antigravity of antigravity, timeout, leads",
			5 * time.Second: "windsurf of windsurf, 60 left, leads\nantigravity of antigravity, timeout",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				products := []usage.Product{usage.Windsurf, usage.Antigravity}
				p := plansBench(t, nil, Config{Products: products, Fetch: func(_ context.Context, ask Ask) []Reading {
					if ask.Products[0] != usage.Windsurf {
						return []Reading{without(seat{usage.Antigravity, "antigravity", "", 0, ""}, "timeout").reading()}
					}
					time.Sleep(tt.takes)
					return []Reading{first("one", 60).reading()}
				}})
				for _, at := range []time.Duration{500 * time.Millisecond, time.Second, 1900 * time.Millisecond, 2 * time.Second, 5 * time.Second} {
					time.Sleep(at - time.Since(began))
					synctest.Wait()
					if want, ok := tt.want[at]; ok {
						if diff := cmp.Diff(want, summary(present(p))); diff != "" {
							t.Errorf("after %v (-want +got):\n%s", at, diff)
						}
					}
				}
			})
		})
	}
}

// Each product has its own retries. One that never ran is looked for as often as the
// others are asked, and one that ran before every minute.
func TestPlansCadence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		asked := map[usage.Product][]time.Duration{}
		var mu sync.Mutex
		plansBench(t, nil, Config{Fetch: func(_ context.Context, ask Ask) []Reading {
			id, now := ask.Products[0], time.Since(began)
			mu.Lock()
			asked[id] = append(asked[id], now)
			mu.Unlock()
			switch {
			case id == usage.Windsurf:
				time.Sleep(time.Second)
				return []Reading{first("one", 60).reading()}
			case id == usage.Antigravity && now < time.Minute:
				time.Sleep(time.Second)
				return []Reading{{
					Product: id, Variant: "antigravity", App: "Antigravity",
					Raw: []byte(`{"quota":{"gemini-weekly":{"remaining_fraction":0.5,"reset_time":"2026-02-08T10:00:00Z"}}}`),
				}}
			default:
				return []Reading{{Product: id, Err: codedError("not_running")}}
			}
		}})
		time.Sleep(11 * time.Minute)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		s := func(seconds int) time.Duration { return time.Duration(seconds) * time.Second }
		want := map[usage.Product][]time.Duration{
			usage.Windsurf:    {0, s(301), s(602)},
			usage.Antigravity: {0, s(301), s(311), s(371), s(431), s(491), s(551), s(611)},
			// At first nothing had figures.
			usage.Cursor: {0, s(10), s(310), s(610)},
		}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Of two variants with one account only the one that tells is recorded.
func TestPlansRecordOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var recorded []string
		plansBench(t, seats{0: {first("one", 60), second("one", 50)}}, Config{
			Products: []usage.Product{usage.Windsurf},
			Record: func(_ context.Context, s usage.Snapshot) pace.History {
				recorded = append(recorded, s.Source.Variant)
				return nil
			},
		})
		synctest.Wait()
		if diff := cmp.Diff([]string{"windsurf"}, recorded); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Look asks all products in one fetch, and names a plan as a person may ask for it.
func TestLookPlans(t *testing.T) {
	t.Parallel()
	all := []seat{first("one", 60), second("two", 50)}
	config := Config{
		Fetch: func(_ context.Context, ask Ask) (readings []Reading) {
			if len(ask.Products) != len(usage.Products()) {
				t.Errorf("asked for %v", ask.Products)
			}
			for _, s := range all {
				readings = append(readings, s.reading())
			}
			return readings
		},
		Now:  func() time.Time { return usagetest.Noon },
		Salt: func(context.Context) ([]byte, error) { return []byte("salt"), nil },
	}
	plans := Look(t.Context(), config)
	for name, want := range map[string]int{"windsurf": 2, plans[1].Name: 1, "windsurf:" + plans[0].Hash: 1, "antigravity": 0, "windsurf:000000": 0, "": 0} {
		if got := plans.Of(name); len(got) != want {
			t.Errorf("%q names %d plans, want %d", name, len(got), want)
		}
	}
	config.Salt = nil // then they are numbered
	if got := summary(Look(t.Context(), config).Of("windsurf:2")); got != "windsurf:2 of next, 50 left" {
		t.Errorf("the second is %q", got)
	}
}

// Figures of a status line grow old by their own time, and not by when they were read.
func TestStatusLineGrowsOld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := plansBench(t, nil, Config{
			Settings: Settings{Interval: time.Hour}, Products: []usage.Product{usage.Antigravity},
			Fetch: func(context.Context, Ask) []Reading {
				return []Reading{{
					Product: usage.Antigravity, Kind: usage.KindStatusLine, Variant: "antigravity", App: "Antigravity CLI", At: usagetest.Noon.Add(-9 * time.Minute),
					Raw: []byte(`{"quota":{"gemini-weekly":{"remaining_fraction":0.5,"reset_time":"2026-02-08T10:00:00Z"}}}`),
				}}
			},
		})
		for _, want := range []bool{false, true} {
			synctest.Wait()
			if s := present(p).Lead(); !s.HasFigures() || s.Snapshot.Source.Stale != want {
				t.Errorf("%v old: stale %v, want %v", s.Age(), s.Snapshot.Source.Stale, want)
			}
			time.Sleep(90 * time.Second)
		}
	})
}

// When a server ends, a status line that was written before its last answer does not
// take the place of that.
func TestOlderStatusLineIsNotTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reading := func(left string) Reading {
			return Reading{
				Product: usage.Antigravity, Variant: "antigravity", App: "Antigravity",
				Raw: []byte(`{"quota":{"gemini-weekly":{"remaining_fraction":` + left + `,"reset_time":"2026-02-08T10:00:00Z"}}}`),
			}
		}
		began := time.Now()
		p := plansBench(t, nil, Config{
			Products: []usage.Product{usage.Antigravity},
			Fetch: func(context.Context, Ask) []Reading {
				if time.Since(began) < time.Minute {
					return []Reading{reading("0.6")}
				}
				line := reading("0.7")
				line.Kind, line.At = usage.KindStatusLine, usagetest.Noon.Add(-time.Minute)
				if time.Since(began) > 8*time.Minute {
					line.At = usagetest.Noon.Add(8 * time.Minute)
				}
				return []Reading{line}
			},
		})
		for _, want := range []string{"60", "60", "70"} {
			synctest.Wait()
			s := present(p).Lead()
			if m, _ := s.Snapshot.Meter(usage.GeminiWeekly); m.Remaining.Decimal(0) != want || s.Err != nil || s.Snapshot.Source.Stale {
				t.Errorf("after %v: %s left, %v, stale %v; want %s", time.Since(began), m.Remaining.Decimal(0), s.Err, s.Snapshot.Source.Stale, want)
			}
			time.Sleep(302 * time.Second)
		}
	})
}
