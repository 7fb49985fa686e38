package status

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/usagetest"
)

// ofCursor is what Cursor's service has answered, four minutes before noon.
func ofCursor(err error) poll.Reading {
	return poll.Reading{
		Product: usage.Cursor, Kind: usage.KindCloud, Variant: "cursor", App: "Cursor", Host: "api2.cursor.sh",
		At: usagetest.Noon.Add(-4 * time.Minute), Account: usage.KeptAccount(strings.Repeat("3fa91c", 6)), Err: err,
		Raw: []byte(`{"GetCurrentPeriodUsage":{"planUsage":{"autoPercentUsed":23.05,"apiPercentUsed":63.44},"billingCycleEnd":"1797041115000"},"GetPlanInfo":{"planInfo":{"planName":"Pro"}}}`),
	}
}

func cursorAlone(r poll.Reading) Parts {
	return Parts{
		Salt:  func(context.Context) ([]byte, error) { return []byte("salt"), nil },
		Fetch: func(context.Context, poll.Ask) []poll.Reading { return []poll.Reading{r} },
	}
}

// Figures that came over the internet say from where and how old they are. After a
// failure they say that instead.
func TestCloudText(t *testing.T) {
	t.Parallel()
	offline := &say.Error{Code: "offline", What: "api2.cursor.sh cannot be reached", Cure: "Check the connection."}
	for _, tt := range []struct {
		name string
		err  error
		want string
		code int
	}{
		{"fresh", nil, "From api2.cursor.sh, 4m ago.", 0},
		{"failed", offline, "Showing figures of 09:56 (api2.cursor.sh cannot be reached)", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, err := runStatus(t, &statusCommand{Parts: cursorAlone(ofCursor(tt.err))}, nil, "--product", "cursor")
			if !strings.HasPrefix(text, "Cursor · Pro\nCursor models") || !strings.HasSuffix(text, "\n\n"+tt.want+"\n") {
				t.Errorf("%s", text)
			}
			if got := say.Exit(err); got != tt.code {
				t.Errorf("exit %d, want %d", got, tt.code)
			}
		})
	}
}

func TestCloudJSON(t *testing.T) {
	t.Parallel()
	text, err := runStatus(t, &statusCommand{Parts: cursorAlone(ofCursor(nil))}, nil, "--json")
	if err != nil {
		t.Fatal(err)
	}
	plan := gjson.Get(text, "plans.0")
	got := []string{plan.Get("product").String(), plan.Get("account").String(), plan.Get(`source.@this|@ugly`).Raw}
	want := []string{
		"cursor", "3fa91c",
		`{"kind":"cloud","variant":"cursor","pid":null,"host":"api2.cursor.sh","fetched_at":"2026-02-03T09:56:00Z","stale":false}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What was saved of Cursor is read again.
func TestCloudSave(t *testing.T) {
	t.Parallel()
	c := &statusCommand{Parts: cursorAlone(ofCursor(nil))}
	file := filepath.Join(t.TempDir(), "cursor.json")
	cmd := quietCommand(c)
	c.Now, c.location = func() time.Time { return usagetest.Noon }, time.UTC
	c.lookup = func(string) (string, bool) { return "", false }
	var shown strings.Builder
	cmd.SetOut(&shown)
	cmd.SetErr(new(strings.Builder))
	cmd.SetArgs([]string{"--save", file})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := runStatus(t, &statusCommand{}, nil, "--from", file, "--at", "2026-02-03T10:00:00Z")
	if err != nil || !strings.HasPrefix(text, "Saved answer · Pro\nCursor models") {
		t.Errorf("%v: %s", err, text)
	}
}

// Who reads that no editor runs is told of the other way, if there is one.
func TestOffered(t *testing.T) {
	t.Parallel()
	const hint = "Start Windsurf and try again.\nFor figures without a running editor, see `windsock cloud`."
	yes, no := func() bool { return true }, func() bool { return false }
	tests := []struct {
		name    string
		err     error
		product string
		offer   func() bool
		read    bool
		want    string
	}{
		{"a_person_reads_it", usagetest.ErrNotRunning, "", yes, true, hint},
		{"of_windsurf", usagetest.ErrNotRunning, "windsurf", yes, true, hint},
		{"of_another_product", usagetest.ErrNotRunning, "antigravity", yes, true, "Start Windsurf and try again."},
		{"a_program_reads_it", usagetest.ErrNotRunning, "", yes, false, "Start Windsurf and try again."},
		{"there_is_none", usagetest.ErrNotRunning, "", no, true, "Start Windsurf and try again."},
		{"nobody_knows", usagetest.ErrNotRunning, "", nil, true, "Start Windsurf and try again."},
		{"an_editor_runs", &say.Error{Code: "no_port", What: "It is starting.", Exit: 3}, "", yes, true, "It is starting."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := &statusCommand{Parts: Parts{Offer: tt.offer}, product: tt.product}
			err := c.offered(tt.err, tt.read)
			if got := say.Sentence(err, ""); got != tt.want || say.Exit(err) != 3 || say.Code(err) != say.Code(tt.err) {
				t.Errorf("%d %s: %q", say.Exit(err), say.Code(err), got)
			}
		})
	}
}
