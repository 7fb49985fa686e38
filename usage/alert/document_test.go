package alert

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var stateDiffs = cmp.AllowUnexported(State{}, account{}, period{}, pool{}, extra{}, debt{}, topUp{})

// eventful is a script that leaves something in every part of a State.
const eventful = `
	+5m prompt=100/500:runs_out flex=80/100
	+15m prompt=100/500:runs_out flex=80/100 topup=1/10
	+5m prompt=0/600 flex=80/100 topup=5/10
	+5m prompt=0/600 flex=80/100 topup=2/10
	mute flex_credits
	+5m daily=0! weekly=0 balance=20
	+5m daily=50! weekly=0 balance=9
	mute extra_usage
	+5m daily=50! weekly=0 balance=-1
	+5m account=b daily=50 balance=-1
	+5m account=b daily=50 balance=1
`

func TestDocument(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(eventful)
	read, err := parse(w.store.document)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w.watch.state, read, stateDiffs); diff != "" {
		t.Errorf("(-kept +read):\n%s", diff)
	}
	document := string(w.store.document)
	for _, secret := range []string{"example", `"a"`, `"b"`, "user"} {
		if strings.Contains(document, secret) {
			t.Errorf("%s is in %s", secret, document)
		}
	}
	if size := len(document); size > 2048 {
		t.Errorf("%d bytes", size)
	}
}

// The first version, as it lies on disks: what was written stays readable.
const firstVersion = `{"version":1,"accounts":[{"account":"dbb88b40d8fcda0fa0cf0bdb5c6a3d9b","meters":{` +
	`"daily_quota":[{"end":"2026-02-03T08:00:00Z","pools":[{"total":100000000,"told":100}],"owed":true,"extra":{"base":20000000,"told":50}}],` +
	`"prompt_credits":[{"end":"2026-02-18T09:00:00Z","pools":[{"total":500000000,"told":80}],"runs_out_since":"2026-02-02T10:05:00Z","run_out_told":true,"muted":true}]},` +
	`"debt":{"told":true,"count":1},"top_up":{"seen":true,"spent":5000000},"extra_usage_muted_until":"2026-02-03T08:00:00Z"}]}`

func TestParse(t *testing.T) {
	t.Parallel()
	told := func(percent int) string {
		return fmt.Sprintf(`{"version":1,"accounts":[{"account":"x","meters":{"acu":[{"pools":[{"total":1,"told":%d}]}]}}]}`, percent)
	}
	long := `{"version":1,"accounts":[` + strings.Repeat(`{"account":"x"},`, 20) + `{"account":"x"}]}`
	eight := `{"version":1,"accounts":[` + strings.Repeat(`{"account":"x"},`, 7) + `{"account":"x"}]}`
	tests := []struct {
		name, document, want string
		err                  error
	}{
		{"first_version", firstVersion, firstVersion, nil},
		{"no_accounts", `{"version":1}`, `{"version":1,"accounts":null}`, nil},
		{"field_of_the_future", `{"version":1,"accounts":[{"account":"x","rates":3}]}`, `{"version":1,"accounts":[{"account":"x"}]}`, nil},
		{"meter_of_the_future", `{"version":1,"accounts":[{"account":"x","meters":{"rates":[{}]}}]}`, `{"version":1,"accounts":[{"account":"x"}]}`, nil},
		{"more_than_all", told(101), told(100), nil},
		{"less_than_nothing", told(-1), strings.Replace(told(0), `,"told":0`, "", 1), nil},
		{"many_accounts", long, eight, nil},
		{"newer", `{"version":2,"accounts":3}`, "", errNewer},
		{"no_version", `{"accounts":[]}`, "", errDocument},
		{"version_zero", `{"version":0}`, "", errDocument},
		{"of_another_form", `{"version":1,"accounts":3}`, "", errDocument},
		{"no_object", `[]`, "", errDocument},
		{"cut_off", firstVersion[:200], "", errDocument},
		{"empty", "", "", errDocument},
		{"endless", firstVersion + strings.Repeat(" ", maxDocument), "", errDocument},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := parse([]byte(tt.document))
			if tt.err != nil {
				if err == nil || errors.Is(tt.err, errNewer) != errors.Is(err, errNewer) {
					t.Errorf("error %v", err)
				}
				if diff := cmp.Diff(State{}, s, stateDiffs); diff != "" {
					t.Errorf("beside the error (-want +got):\n%s", diff)
				}
				return
			}
			got, again := s.document()
			if err := errors.Join(err, again); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

var errDocument = errors.New("any error but errNewer")

func TestDocumentStaysSmall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var script strings.Builder
	for i := range 400 {
		fmt.Fprintf(&script, "+20h account=%d daily=%d weekly=3 balance=4 topup=%d/9\n", i%20, i%20, i)
		fmt.Fprintf(&script, "+1h account=%d prompt=%d/%d flex=1/%d\n", i%20, i%2, 100+i, 200+i)
	}
	w.play(script.String())
	if size := len(w.store.document); size > 16<<10 {
		t.Errorf("%d bytes", size)
	}
}

func TestStateIsAValue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(eventful)
	before := w.watch.state
	document, err := before.document()
	if err != nil {
		t.Fatal(err)
	}
	w.play("+5m account=b daily=0 weekly=3\nmute daily_quota\n+24h account=b daily=3 weekly=100\n+5m daily=3! weekly=0 balance=90")
	after, err := before.document()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(document), string(after)); diff != "" {
		t.Errorf("a state that was handed out has changed (-before +after):\n%s", diff)
	}
}
