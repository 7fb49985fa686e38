package alert

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// eventful is a script that fills every part of the stored state.
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
	plans, err := read(w.store.document)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w.watch.plans, plans, cmpopts.IgnoreFields(plan{}, "Of"), cmpopts.IgnoreFields(topUp{}, "ShownNow")); diff != "" {
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

// This version does not repeat the alerts that the first edition showed. The first
// edition wrote the document at about noon.
func TestUpdateWarnsOfNothingAgain(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("testdata/first_edition.json")
	if err != nil {
		t.Fatal(err)
	}
	tests := []sequence{
		{"credits", `
			+2h prompt=0/600:runs_out flex=20/100 topup=5/10
			+15m prompt=0/600:runs_out flex=20/100 topup=5/10
			+5m prompt=0/600 flex=4/100 topup=5/10 | Flex credits: 4 % left
			+384h prompt=500/500 flex=80/100 | Prompt credits: refilled. Also: Flex credits refilled.
		`},
		{"quotas", `
			+2h daily=0 weekly=4:runs_out balance=9
			+15m daily=0 weekly=0:runs_out balance=6
			+5m daily=0 weekly=0 balance=4 | Extra usage: $4.00 left
			+24h daily=90 weekly=0 | Daily quota: refilled
			+144h daily=90 weekly=90 | Weekly quota: refilled
		`},
		{"acu", `
			+2h acu=0.3/10
			+5m acu=0/10 | ACUs: used up
		`},
		{"without_a_reset", `
			+2h account=b daily=50! weekly=3! balance=-1
			+5m account=b daily=50! weekly=99! balance=-1
			+10m account=b daily=50! weekly=99! balance=1
			+10m account=b daily=50! weekly=3! balance=-1 | Weekly quota: 3 % left
			+10m account=b daily=50! weekly=3! balance=2
			+10m account=b daily=50! weekly=3! balance=2
			+10m account=b daily=50! weekly=3! balance=-1 | Extra usage: −$1.00 owed
		`},
		{"muted", `
			+2h account=c flex=4/100
			+5m account=c flex=3/100
			unmute flex_credits
			+5m account=c flex=3/100 | Flex credits: 3 % left
		`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.store.document = document
			if diff := cmp.Diff(trimmed(tt.script), w.play(tt.script)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(string(w.store.document), `"pools"`) {
				t.Errorf("it is still of the first edition: %s", w.store.document)
			}
		})
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, document string
		plans          int
		newer, fails   bool
	}{
		{"no_accounts", `{"version":1}`, 0, false, false},
		{"field_of_the_future", `{"version":1,"accounts":[{"account":"x","rates":3}]}`, 1, false, false},
		{"nothing_of_a_meter", `{"version":1,"accounts":[null,{"account":"x","records":{"acu":null},"meters":{"acu":[]}}]}`, 1, false, false},
		{"newer", `{"version":2,"accounts":3}`, 0, true, true},
		{"no_version", `{"accounts":[]}`, 0, false, true},
		{"of_another_form", `{"version":1,"accounts":3}`, 0, false, true},
		{"no_object", `[]`, 0, false, true},
		{"cut_off", `{"version":1,"accounts":[{"acc`, 0, false, true},
		{"empty", "", 0, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			plans, err := read([]byte(tt.document))
			if len(plans) != tt.plans || errors.Is(err, errNewer) != tt.newer || (err != nil) != tt.fails {
				t.Errorf("%d plans, %v", len(plans), err)
			}
		})
	}
}

func TestDocumentStaysSmall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 20 {
		for account := range strings.FieldsSeq("a b c d e f g h i j k l") {
			w.play("+1h account=" + account + " daily=4 weekly=3 balance=4 topup=3/9\n" +
				"+1h account=" + account + " prompt=1/100 flex=1/200")
		}
	}
	if size := len(w.store.document); size > 8<<10 {
		t.Errorf("%d bytes", size)
	}
}
