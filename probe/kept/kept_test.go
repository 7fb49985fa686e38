package kept_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/kept"
	"windsock/probe/say"
)

var testNow = time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)

func TestAnswered(t *testing.T) {
	t.Parallel()
	l := kept.Last{Asked: testNow, Answer: json.RawMessage(`1`), At: testNow.Add(-time.Hour), Account: "old", Failed: &kept.Failure{Times: 3}}
	want := kept.Last{Asked: testNow, Answer: json.RawMessage(`2`), At: testNow, Account: "new"}
	if diff := cmp.Diff(want, l.Answered(json.RawMessage(`2`), "new")); diff != "" {
		t.Error(diff)
	}
}

func TestFailing(t *testing.T) {
	t.Parallel()
	told := &say.Error{Code: "offline", What: "No network.", Cure: "Wait.", Exit: 1, Cause: errors.New("secret")}
	answer := kept.Last{Asked: testNow, Answer: json.RawMessage(`1`), At: testNow.Add(-time.Hour), Account: "a"}
	with := func(f kept.Failure) kept.Last {
		l := answer
		l.Failed = &f
		return l
	}
	tests := []struct {
		name   string
		before kept.Last
		err    error
		want   kept.Failure
	}{
		{"first", answer, told, kept.Failure{Code: "offline", What: "No network.", Cure: "Wait.", Exit: 1, Times: 1}},
		{
			"fourth", with(kept.Failure{Code: "rejected", Times: 3, Until: testNow, Sign: "mark"}), fmt.Errorf("ask: %w", told),
			kept.Failure{Code: "offline", What: "No network.", Cure: "Wait.", Exit: 1, Times: 4},
		},
		{"untold", answer, errors.New("secret"), kept.Failure{Times: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(with(tt.want), tt.before.Failing(tt.err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFailureErr(t *testing.T) {
	t.Parallel()
	f := &kept.Failure{Code: "offline", What: "No network.", Cure: "Wait.", Exit: 4, Times: 2}
	if err := f.Err(); say.Code(err) != "offline" || say.Exit(err) != 4 || say.Sentence(err, "") != "No network. Wait." {
		t.Errorf("error %v", err)
	}
	if err := (*kept.Failure)(nil).Err(); err != nil {
		t.Errorf("error %v of no failure", err)
	}
}
