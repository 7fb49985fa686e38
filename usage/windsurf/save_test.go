package windsurf

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windsock/probe/jsoncheck"
	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/field"
	"windsock/usage/pace"
	"windsock/usage/saved"
	"windsock/usage/usagetest"
)

// sameReading fails unless a saved answer reads like its original.
func sameReading(t *testing.T, raw []byte) (saved []byte) {
	t.Helper()
	before := bytes.Clone(raw)
	saved = Anonymize(raw)
	if !bytes.Equal(raw, before) {
		t.Fatal("the input was written to")
	}
	if !json.Valid(saved) || saved[len(saved)-1] != '\n' {
		t.Fatalf("not JSON and a line feed: %q", saved)
	}
	_, ok := field.Object(raw)
	if again := Anonymize(saved); ok && !bytes.Equal(again, saved) {
		t.Fatalf("saved again (-once +twice):\n%s", cmp.Diff(string(saved), string(again)))
	}
	src := usage.Source{Kind: usage.KindFile, FetchedAt: usagetest.Noon}
	want, wantErr := Decode(raw, src)
	got, gotErr := Decode(saved, src)
	if diff := cmp.Diff(say.Sentence(wantErr, ""), say.Sentence(gotErr, "")); diff != "" {
		t.Fatalf("error (-want +got):\n%s\nof %s", diff, saved)
	}
	if wantErr == nil && gotErr == nil {
		opts := cmp.Options{removedPlan, cmpopts.IgnoreFields(usage.Snapshot{}, "Plan"), cmpopts.IgnoreUnexported(usage.Snapshot{})}
		for _, at := range []usage.Snapshot{want, pace.Judge(want, nil, pace.Options{}).At(usagetest.Noon)} {
			other := got
			if !at.Judged.IsZero() {
				other = pace.Judge(got, nil, pace.Options{}).At(usagetest.Noon)
			}
			if diff := cmp.Diff(at, other, opts); diff != "" {
				t.Fatalf("snapshot (-want +got):\n%s\nof %s", diff, saved)
			}
		}
	}
	if got.Plan.Account.Known() {
		t.Fatal("it says whose it is")
	}
	return saved
}

// removedPlan makes a removed plan's name equal to any.
var removedPlan = cmp.FilterPath(
	func(p cmp.Path) bool { return p.Last().String() == ".PlanName" },
	cmp.Comparer(func(a, b string) bool {
		return a == b || a != "" && b == saved.RemovedName || b != "" && a == saved.RemovedName
	}),
)

func TestAnonymizeKeepsWhatIsRead(t *testing.T) {
	t.Parallel()
	for _, raw := range usagetest.Samples(t) {
		sameReading(t, raw)
	}
	for _, raw := range usagetest.Inputs(t) {
		sameReading(t, raw)
	}
}

func TestAnonymize(t *testing.T) {
	t.Parallel()
	const none = `"windsock":{"saved":1,"removed":0}`
	tests := []struct {
		name, raw, want string
	}{
		{
			"a_person_goes",
			`{"userStatus":{"name":"Robin Example","email":"robin@example.com","teamId":"t","userId":"u","pro":true,"planStatus":{"acuConsumed":0.1554225}}}`,
			`{"windsock":{"saved":1,"removed":5},"userStatus":{"planStatus":{"acuConsumed":0.1554225}}}`,
		},
		{
			"what_is_not_read_goes",
			`{"planStatus":{"robin@example.com":1,"monthlyQuotaRemainingPercent":12,"planInfo":{"teamsTier":"TEAMS_TIER_ACME"}},"userStatus":{"cascadeModelConfigData":{}}}`,
			`{"windsock":{"saved":1,"removed":4},"planStatus":{"planInfo":{}},"userStatus":{}}`,
		},
		{
			"saved_before",
			`{"windsock":{"saved":1,"removed":7},"planStatus":{"a":1}}`,
			`{"windsock":{"saved":1,"removed":8},"planStatus":{}}`,
		},
		{
			"plan_of_everybody",
			`{"planInfo":{"planName":"Enterprise SaaS","billingStrategy":"BILLING_STRATEGY_QUOTA"}}`,
			`{` + none + `,"planInfo":{"planName":"Enterprise SaaS","billingStrategy":"BILLING_STRATEGY_QUOTA"}}`,
		},
		{
			"plan_of_a_company",
			`{"planInfo":{"planName":"Acme Enterprise","billingStrategy":"acme"},"gracePeriodStatus":4155550123}`,
			`{` + none + `,"planInfo":{"planName":"(name removed)","billingStrategy":"removed"},"gracePeriodStatus":0}`,
		},
		{
			"unreadable_stays_unreadable",
			`{"userStatus":"robin","planStatus":{"usedPromptCredits":"robin","availablePromptCredits":1e30,"planEnd":"Robin's birthday",
			  "topUpStatus":{"topUpEnabled":"robin"},"acuLimit":[1],"acuConsumed":{"a":"b"},"planStart":null,"planInfo":4155550123}}`,
			`{` + none + `,"userStatus":"removed","planStatus":{"usedPromptCredits":"removed","availablePromptCredits":1e999,"planEnd":"removed",
			  "topUpStatus":{"topUpEnabled":"removed"},"acuLimit":[],"acuConsumed":{},"planStart":null,"planInfo":0}}`,
		},
		{
			"repeated_fields_stay_in_order",
			`{"planStatus":{"acuLimit":1,"acuLimit":"two","acuLimit":3}}`,
			`{` + none + `,"planStatus":{"acuLimit":1,"acuLimit":"removed","acuLimit":3}}`,
		},
		{
			"zone_and_far_digits_of_a_date_go",
			`{"planStatus":{"planEnd":"2026-02-18T09:07:17.12345678901234567+05:30"}}`,
			`{` + none + `,"planStatus":{"planEnd":"2026-02-18T03:37:17.123456789Z"}}`,
		},
		{"not_json", `<!DOCTYPE html><title>robin</title>`, `"no JSON: 35 bytes, begins with <"`},
		{"broken", `{"userStatus":{"name":"robin`, `"no JSON: 28 bytes, begins with {"`},
		{"empty", ``, `"no JSON: 0 bytes"`},
		{"a_text", `"robin"`, `"JSON, and no object: 7 bytes"`},
		{"a_list", ` ["robin"]`, `"JSON, and no object: 10 bytes, begins with ["`},
		{"deep", `{"a":` + strings.Repeat("[", jsoncheck.MaxDepth) + strings.Repeat("]", jsoncheck.MaxDepth) + `}`, `"no JSON: 20006 bytes, begins with {"`},
		{"nothing_in_it", `{}`, `{` + none + `}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got, want bytes.Buffer
			if err := json.Compact(&got, sameReading(t, []byte(tt.raw))); err != nil {
				t.Fatal(err)
			}
			if err := json.Compact(&want, []byte(tt.want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.String(), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// plants must not be in a saved answer, whatever was in the answer.
var plants = []string{
	"robin@example.com", "Robin Q. Example", "0b6e2f0a-3c1d-4a51-9a4e-2f6d0c9b7e11", "sk-ws-01-AbCdEf0123456789",
	"cog_7f3a9c", "/home/robin/secret-project", "eyJhbGciOiJIUzI1NiJ9",
}

// FuzzAnonymize: no text of an answer gets into the saved one, and both read the same.
// The plant takes the place of every P.
func FuzzAnonymize(f *testing.F) {
	for i, raw := range usagetest.Inputs(f) {
		f.Add(raw, uint8(i))
		f.Add(bytes.ReplaceAll(raw, []byte(`"plan`), []byte(`"P`)), uint8(i))
	}
	f.Add([]byte(`{"userStatus":{"name":"P","P":{"P":["P"]},"planStatus":{"P":1,"planInfo":{"planName":"P","teamsTier":"P"},"acuLimit":"P"}}}`), uint8(0))
	f.Fuzz(func(t *testing.T, raw []byte, which uint8) {
		sameReading(t, raw)
		plant := plants[int(which)%len(plants)]
		planted := bytes.ReplaceAll(raw, []byte("P"), []byte(plant))
		if saved := sameReading(t, planted); bytes.Contains(saved, []byte(plant)) {
			t.Fatalf("%q is still in %s", plant, saved)
		}
	})
}
