package cloud

import (
	"encoding/json"
	"testing"
	"time"

	"windsock/probe/kept"
)

func TestDue(t *testing.T) {
	t.Parallel()
	windsurf, cursor := Source{Name: "devin-cli", Product: "windsurf"}, Source{Name: "cursor", Product: "cursor"}
	answered := func(ago time.Duration) kept.Last {
		at := noon.Add(-ago)
		return kept.Last{Asked: at, At: at, Answer: json.RawMessage(`{}`)}
	}
	failed := func(ago time.Duration, code Code, times int) kept.Last {
		at := noon.Add(-ago)
		return kept.Last{Asked: at, Answer: json.RawMessage(`{}`), At: at.Add(-time.Hour), Failed: &kept.Failure{Code: string(code), Times: times}}
	}
	waiting := func(ago, until time.Duration) kept.Last {
		last := failed(ago, RateLimited, 1)
		last.Failed.Until = noon.Add(until)
		return last
	}
	signed := func(ago time.Duration, code Code, sign string) kept.Last {
		last := failed(ago, code, 1)
		last.Failed.Sign = sign
		return last
	}
	const s, m, h = time.Second, time.Minute, time.Hour
	tests := []struct {
		name   string
		source Source
		last   kept.Last
		why    Why
		reset  time.Duration // from noon; 0 for none
		want   bool
	}{
		{name: "first", source: windsurf, want: true},
		{name: "first_of_a_command", source: cursor, why: WhyOnce, want: true},
		{name: "just_asked", source: windsurf, last: answered(29 * s), why: WhyWanted},
		{name: "clock_a_little_behind", source: windsurf, last: answered(-s), why: WhyWanted},
		{name: "clock_set_back", source: windsurf, last: answered(-h), want: true},
		{name: "asked_and_nothing_kept", source: windsurf, last: kept.Last{Asked: noon.Add(-31 * s)}, want: true},

		{name: "app_early", source: windsurf, last: answered(9*m - s)},
		{name: "app", source: windsurf, last: answered(9 * m), want: true},
		{name: "app_cursor_early", source: cursor, last: answered(13*m + 29*s)},
		{name: "app_cursor", source: cursor, last: answered(13*m + 30*s), want: true},
		{name: "command_early", source: windsurf, last: answered(5*m - s), why: WhyOnce},
		{name: "command", source: windsurf, last: answered(5 * m), why: WhyOnce, want: true},
		{name: "command_cursor", source: cursor, last: answered(5 * m), why: WhyOnce, want: true},
		{name: "click", source: windsurf, last: answered(30 * s), why: WhyWanted, want: true},
		{name: "click_cursor_early", source: cursor, last: answered(59 * s), why: WhyWanted},
		{name: "click_cursor", source: cursor, last: answered(60 * s), why: WhyWanted, want: true},

		{name: "reset_passed", source: windsurf, last: answered(2 * m), reset: -m, want: true},
		{name: "reset_just_passed", source: windsurf, last: answered(2 * m), reset: -59 * s},
		{name: "reset_to_come", source: windsurf, last: answered(2 * m), reset: m},
		{name: "asked_since_the_reset", source: windsurf, last: answered(2 * m), reset: -4 * m},
		{name: "asked_right_after_the_reset", source: windsurf, last: answered(50 * s), reset: -m - s, want: true},
		{name: "reset_passed_but_just_asked", source: windsurf, last: answered(20 * s), reset: -m},
		{name: "reset_passed_but_failed", source: windsurf, last: failed(59*s, Offline, 1), reset: -5 * m},

		{name: "failed_early", source: windsurf, last: failed(59*s, Offline, 1)},
		{name: "failed", source: windsurf, last: failed(m, Offline, 1), want: true},
		{name: "failed_of_a_command", source: windsurf, last: failed(59*s, Offline, 1), why: WhyOnce},
		{name: "failed_thrice_early", source: windsurf, last: failed(4*m-s, ServerError, 3)},
		{name: "failed_thrice", source: windsurf, last: failed(4*m, ServerError, 3), want: true},
		{name: "failed_often", source: windsurf, last: failed(h, ServerError, 1000), want: true},
		{name: "failed_often_early", source: windsurf, last: failed(h-s, ServerError, 1000)},
		{name: "failed_cursor_early", source: cursor, last: failed(5*m-s, ServerError, 1)},
		{name: "failed_cursor", source: cursor, last: failed(5*m, ServerError, 1), want: true},
		{name: "failed_cursor_often", source: cursor, last: failed(6*h, ServerError, 20), want: true},
		{name: "failed_cursor_often_early", source: cursor, last: failed(6*h-s, ServerError, 20)},
		{name: "offline_early", source: cursor, last: failed(m-s, Offline, 1)},
		{name: "offline", source: cursor, last: failed(m, Offline, 1), want: true},
		{name: "offline_long_early", source: cursor, last: failed(13*m+29*s, Offline, 20)},
		{name: "offline_long", source: cursor, last: failed(13*m+30*s, Offline, 20), want: true},
		{name: "offline_long_of_a_command", source: cursor, last: failed(5*m, TLS, 20), why: WhyOnce, want: true},
		{name: "failed_and_clicked", source: windsurf, last: failed(30*s, ServerError, 9), why: WhyWanted, want: true},
		{name: "failed_and_clicked_cursor", source: cursor, last: failed(59*s, ServerError, 9), why: WhyWanted},
		{name: "times_are_not_counted", source: windsurf, last: failed(m, Offline, 0), want: true},

		{name: "wait_is_asked_for", source: windsurf, last: waiting(10*m, s)},
		{name: "wait_is_asked_for_and_clicked", source: windsurf, last: waiting(10*m, s), why: WhyWanted},
		{name: "wait_is_over", source: windsurf, last: waiting(10*m, 0), want: true},
		{name: "wait_without_end", source: windsurf, last: waiting(h, 24*h), want: true},

		{name: "refused_early", source: windsurf, last: failed(h-s, Refused, 1)},
		{name: "refused", source: windsurf, last: failed(h, Refused, 9), want: true},
		{name: "refused_and_clicked", source: windsurf, last: failed(m, Refused, 1), why: WhyWanted, want: true},

		{name: "rejected", source: windsurf, last: failed(24*h, Rejected, 1)},
		{name: "rejected_and_clicked", source: windsurf, last: failed(30*s, Rejected, 1), why: WhyWanted, want: true},
		{name: "rejected_of_another_sign_in_early", source: windsurf, last: signed(m-s, Rejected, "before")},
		{name: "rejected_of_another_sign_in", source: windsurf, last: signed(m, Rejected, "before"), want: true},
		{name: "rejected_often_of_another_sign_in", source: cursor, last: func() kept.Last {
			last := signed(5*m, Rejected, "before")
			last.Failed.Times = 9
			return last
		}(), want: true},
		{name: "rejected_of_another_sign_in_and_clicked", source: windsurf, last: signed(31*s, Rejected, "before"), why: WhyWanted, want: true},
		{name: "region_of_another_sign_in_early", source: windsurf, last: signed(m-s, WrongRegion, "before")},
		{name: "region_of_another_sign_in", source: windsurf, last: func() kept.Last {
			last := signed(m, WrongRegion, "before")
			last.Failed.Times = 9
			return last
		}(), want: true},
		{name: "no_credential_of_another_sign_in", source: cursor, last: signed(31*s, NoCredential, "before"), want: true},
		{name: "expired_of_another_sign_in", source: cursor, last: signed(31*s, Expired, "before"), want: true},
		{name: "host_of_another_sign_in", source: windsurf, last: signed(31*s, HostNotAllowed, "before"), want: true},
		{name: "another_sign_in_but_just_asked", source: windsurf, last: signed(29*s, NoCredential, "before")},
		{name: "offline_and_another_sign_in", source: windsurf, last: signed(31*s, Offline, "before")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var reset time.Time
			if tt.reset != 0 {
				reset = noon.Add(tt.reset)
			}
			if got := tt.source.Due(tt.last, tt.why, reset, noon); got != tt.want {
				t.Error(got)
			}
		})
	}
}
