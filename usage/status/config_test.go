package status

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/usage/poll"
	"windsock/usage/usagetest"
	"windsock/usage/words"
)

func TestConfigValidate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		config Config
		want   []string
	}{
		{"default", DefaultConfig(), nil},
		{"least", Config{Interval: time.Minute, Clock: "12h"}, nil},
		{"most", Config{Interval: time.Hour, Clock: "24h", Variant: "not for this package to say"}, nil},
		{"too_often", Config{Interval: time.Minute - 1, Clock: "auto"}, []string{"interval"}},
		{"too_seldom", Config{Interval: time.Hour + 1, Clock: "auto"}, []string{"interval"}},
		{"nothing", Config{}, []string{"interval", "clock"}},
		{"other_clock", Config{Interval: time.Minute, Clock: "24H"}, []string{"clock"}},
		{"weekend", Config{Interval: time.Minute, Clock: "12h", WorkDays: []string{"sun", "sat"}}, nil},
		{"six_days", Config{Interval: time.Minute, Clock: "12h", WorkDays: []string{"mon", "tue", "wed", "thu", "fri", "sat"}}, nil},
		{"one_day", Config{Interval: time.Minute, Clock: "12h", WorkDays: []string{"mon"}}, []string{"work_days"}},
		{
			"all_days",
			Config{Interval: time.Minute, Clock: "12h", WorkDays: []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}},
			[]string{"work_days"},
		},
		{"day_twice", Config{Interval: time.Minute, Clock: "12h", WorkDays: []string{"mon", "tue", "mon"}}, []string{"work_days"}},
		{"no_day", Config{Interval: time.Minute, Clock: "12h", WorkDays: []string{"mon", "Tue"}}, []string{"work_days"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.config.Invalid()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfigPace(t *testing.T) {
	t.Parallel()
	berlin := usagetest.Zone(t, "Europe/Berlin")
	for _, tt := range []struct {
		names []string
		want  []time.Weekday
	}{
		{nil, nil},
		{[]string{}, nil},
		{[]string{"mon", "sun"}, []time.Weekday{time.Monday, time.Sunday}},
		{[]string{"sat", "fri", "thu", "wed", "tue"}, []time.Weekday{time.Saturday, time.Friday, time.Thursday, time.Wednesday, time.Tuesday}},
		{[]string{"mon"}, nil},
		{[]string{"mon", "tues"}, nil},
	} {
		got := Config{WorkDays: tt.names}.Pace(berlin)
		if !slices.Equal(got.WorkDays, tt.want) || got.Location != berlin {
			t.Errorf("%v: got %+v", tt.names, got)
		}
	}
}

func TestConfigWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		clock, lang string
		want        bool
	}{
		{"auto", "en_US.UTF-8", true},
		{"auto", "de_DE.UTF-8", false},
		{"12h", "de_DE.UTF-8", true},
		{"24h", "en_US.UTF-8", false},
		{"", "en_US.UTF-8", true},
	}
	for _, tt := range tests {
		lookup := func(name string) (string, bool) { return tt.lang, name == "LANG" }
		got := Config{Clock: tt.clock}.Words(time.UTC, lookup)
		if want := (words.Words{Location: time.UTC, TwelveHour: tt.want}); got != want {
			t.Errorf("%q in %s: got %+v", tt.clock, tt.lang, got)
		}
	}
}

func TestStatusConfig(t *testing.T) {
	t.Parallel()
	const raw = `{"planStatus":{"dailyQuotaRemainingPercent":40,"dailyQuotaResetAtUnix":"1770130800"}}`
	settled := Config{Interval: time.Minute, Variant: "windsurf-next", Clock: Clock12}
	tests := []struct {
		name    string
		args    []string
		asked   []string
		written string
	}{
		{"file_holds", nil, []string{"windsurf-next"}, "3:00 PM"},
		{"flag_wins", []string{"--variant", "windsurf"}, []string{"windsurf"}, "3:00 PM"},
		{"empty_flag_wins", []string{"--variant", ""}, []string{""}, "3:00 PM"},
		{"variant_is_no_conflict", []string{"--from", "-"}, nil, "3:00 PM"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			c := &statusCommand{
				Parts: Parts{
					Config: func() (Config, error) { return settled, nil },
					Fetch: one(func(_ context.Context, variant string) (poll.Reading, error) {
						asked = append(asked, variant)
						return poll.Reading{Raw: []byte(raw)}, nil
					}),
				},
			}
			out, err := runStatus(t, c, bytes.NewReader([]byte(raw)), tt.args...)
			if err != nil || !strings.Contains(out, tt.written) {
				t.Errorf("error %v, wrote %s", err, out)
			}
			if diff := cmp.Diff(tt.asked, asked); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// errBrokenConfig is an error of a configuration file, as main makes it.
var errBrokenConfig = &say.Error{What: "config.toml, line 1: broken.", Exit: 2, Cause: errors.New("read config: broken")}

func TestStatusBrokenConfig(t *testing.T) {
	t.Parallel()
	broken := outcome{2, "config.toml, line 1: broken."}
	tests := []struct {
		name string
		args []string
		want outcome
	}{
		{"live", nil, broken},
		{"live_in_json", []string{"--json"}, broken},
		{"from", []string{"--from", "-"}, broken},
		{"watch", []string{"--watch"}, broken},
		{"flags_come_first", []string{"--fail-under", "101"}, outcome{2, "--fail-under takes a percentage from 0 to 100."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := &statusCommand{
				Parts: Parts{
					Config: func() (Config, error) { return Config{}, errBrokenConfig },
					Fetch: one(func(context.Context, string) (poll.Reading, error) {
						t.Error("a server was asked")
						return poll.Reading{}, nil
					}),
				},
			}
			out, err := runStatus(t, c, nil, tt.args...)
			if out != "" {
				t.Errorf("wrote %s", out)
			}
			if diff := cmp.Diff(tt.want, outcomeOf(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWatchConfigInterval(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		want time.Duration
	}{
		{"file_holds", nil, time.Hour},
		{"flag_wins", []string{"--interval", "10m"}, 10 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var asked []time.Time
				c := &statusCommand{
					Parts: Parts{
						Config: func() (Config, error) { return Config{Interval: time.Hour, Clock: ClockAuto}, nil },
						Fetch: one(func(context.Context, string) (poll.Reading, error) {
							if asked = append(asked, time.Now()); len(asked) == 2 {
								cancel()
							}
							return poll.Reading{Raw: []byte(`{"planStatus":{"availablePromptCredits":100}}`)}, nil
						}),
						Now: time.Now,
					},
					lookup: func(string) (string, bool) { return "", false },
				}
				cmd := quietCommand(c)
				cmd.SetArgs(append([]string{"--watch"}, tt.args...))
				cmd.SetOut(&strings.Builder{})
				_ = cmd.ExecuteContext(ctx)
				// An interval is a tenth shorter or longer now and then.
				if got := asked[1].Sub(asked[0]); (got - tt.want).Abs() > tt.want/10 {
					t.Errorf("asked again after %v", got)
				}
			})
		})
	}
}
