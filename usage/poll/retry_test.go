package poll

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// failing answers with the codes in turn, and with the last one from then on;
// "good" is an answer, and "" an error without a code.
func failing(codes ...string) func(context.Context, int) (Reading, error) {
	return func(ctx context.Context, n int) (Reading, error) {
		switch code := codes[min(n, len(codes)-1)]; code {
		case "good":
			return good(ctx, n)
		case "":
			return Reading{}, errors.New("out of luck")
		default:
			// Wrapping does not hide the code.
			return Reading{}, fmt.Errorf("fetch: %w", codedError(code))
		}
	}
}

func TestPollerBacksOff(t *testing.T) {
	t.Parallel()
	times := func(n int, code string) []string { return strings.Split(strings.Repeat(" "+code, n)[1:], " ") }
	tests := []struct {
		name  string
		codes []string
		// want are the pauses between the first fetches.
		want string
	}{
		{"timeout", append(times(9, "timeout"), "good", "timeout", "good"), "10s 1m 2m 4m 8m 16m 30m 30m 30m 5m 10s 5m"},
		{"no_code", []string{""}, "10s 1m 2m 4m 8m 16m 30m 30m"},
		{"not_running", []string{"not_running"}, "10s 1m 1m 1m 1m 1m 1m 1m 1m"},
		{"no_token", []string{"no_token"}, "10s 1m 1m 1m"},
		{"no_port", []string{"no_port"}, "10s 1m 1m 1m"},
		{"not_signed_in", []string{"not_signed_in"}, "10s 1m 1m 1m"},
		{"rejected", []string{"rejected"}, "10s 1m 2m 4m"},
		{
			"the_editor_starts",
			append(times(3, "not_running"), "no_port", "timeout", "timeout", "timeout", "good"),
			"10s 1m 1m 10s 10s 1m 2m 5m",
		},
		{"the_editor_ends", append(times(4, "timeout"), "not_running"), "10s 1m 2m 4m 10s 1m 1m"},
		{"the_same_kind_later", []string{"not_running", "not_running", "good", "not_running"}, "10s 1m 5m 10s 1m 1m"},
		{"ordinary_ones_are_one_kind", []string{"timeout", "bad_response", "", "rejected", "timeout"}, "10s 1m 2m 4m 8m"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(failing(tt.codes...))
				defer b.run(t)()
				at := time.Duration(0)
				want := []time.Duration{at}
				for pause := range strings.FieldsSeq(tt.want) {
					d, err := time.ParseDuration(pause)
					if err != nil {
						t.Fatal(err)
					}
					at += d
					want = append(want, at)
				}
				b.until(at)
				b.fetches(t, want...)
			})
		})
	}
}
