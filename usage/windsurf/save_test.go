package windsurf

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tidwall/gjson"

	"windsock/probe/jsoncheck"
	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/usagetest"
)

// sameReading fails unless a saved answer reads like the one it was made of.
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
	if again := Anonymize(saved); !bytes.Equal(again, saved) {
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

// removedPlan takes a plan that was removed for any.
var removedPlan = cmp.FilterPath(
	func(p cmp.Path) bool { return p.Last().String() == ".PlanName" },
	cmp.Comparer(func(a, b string) bool { return a == b || a != "" && b == removedName || b != "" && a == removedName }),
)

func TestAnonymizeKeepsWhatIsRead(t *testing.T) {
	t.Parallel()
	for name, raw := range usagetest.Samples(t) {
		note := gjson.GetBytes(sameReading(t, raw), noteField)
		for _, path := range note.Get("removed").Array() {
			if !slices.Contains([]string{"userStatus.email", "userStatus.name", "userStatus.planStatus.planInfo.devinInfo"}, path.Str) {
				t.Errorf("%s: %s was removed", name, path)
			}
		}
		if note.Get("unnamed").Int() != 0 {
			t.Errorf("%s: %s", name, note.Raw)
		}
	}
	for _, raw := range usagetest.Inputs(t) {
		sameReading(t, raw)
	}
}

func TestAnonymize(t *testing.T) {
	t.Parallel()
	const none = `"windsock":{"saved":1,"removed":[],"unnamed":0}`
	tests := []struct {
		name, raw, want string
	}{
		{
			"a_person_goes",
			`{"userStatus":{"name":"Robin Example","email":"robin@example.com","teamId":"t","userId":"u","pro":true,"planStatus":{"acuConsumed":0.1554225}}}`,
			`{"windsock":{"saved":1,"removed":["userStatus.email","userStatus.name","userStatus.teamId","userStatus.userId"],"unnamed":0},
			  "userStatus":{"pro":true,"planStatus":{"acuConsumed":0.1554225}}}`,
		},
		{
			"keys_of_a_map_are_not_told",
			`{"planStatus":{"robin@example.com":1,"robinExample":true,"daily.used":1,"defaultTeamFeatures":{"1":{}}}}`,
			`{"windsock":{"saved":1,"removed":["planStatus.defaultTeamFeatures"],"unnamed":3},"planStatus":{}}`,
		},
		{
			"new_fields_about_money_stay",
			`{"planStatus":{"monthlyQuotaRemainingPercent":12,"fiveHourLimitReached":false,"quotaPeriod":"QUOTA_PERIOD_ROLLING","nextResetTime":"2026-02-03T11:00:00+01:00"}}`,
			`{` + none + `,"planStatus":{"monthlyQuotaRemainingPercent":12,"fiveHourLimitReached":false,"quotaPeriod":"QUOTA_PERIOD_ROLLING","nextResetTime":"2026-02-03T10:00:00Z"}}`,
		},
		{
			"new_fields_with_texts_go",
			`{"planStatus":{"usedBy":"max","billingCycle":"the one of Robin","creditLimit":415555012345678901234,"periods":["x"],"usage":{"used":1}}}`,
			`{"windsock":{"saved":1,"removed":["planStatus.billingCycle","planStatus.creditLimit","planStatus.usage","planStatus.usedBy"],"unnamed":1},"planStatus":{}}`,
		},
		{
			"plans_of_everybody",
			`{"planInfo":{"planName":"Enterprise SaaS (V2)","teamsTier":"TEAMS_TIER_DEVIN_TEAMS_V2","billingStrategy":"BILLING_STRATEGY_TOKENS"}}`,
			`{` + none + `,"planInfo":{"planName":"Enterprise SaaS (V2)","teamsTier":"TEAMS_TIER_DEVIN_TEAMS_V2","billingStrategy":"BILLING_STRATEGY_TOKENS"}}`,
		},
		{
			"plan_of_a_company",
			`{"planInfo":{"planName":"Acme Enterprise","teamsTier":"TEAMS_TIER_ACME","billingStrategy":"acme"},"gracePeriodStatus":4155550123}`,
			`{` + none + `,"planInfo":{"planName":"(name removed)","teamsTier":"removed","billingStrategy":"removed"},"gracePeriodStatus":0}`,
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
		{
			"models",
			`{"userStatus":{"cascadeModelConfigData":{"clientModelConfigs":[
			  {"label":"Claude Opus 4.7 Thinking","modelUid":"claude-opus-4-7-thinking","creditMultiplier":6.5,"disabled":true,
			   "disabledReason":{"description":"Ask robin@example.com"},"provider":"MODEL_PROVIDER_ANTHROPIC","allowedTiers":["TEAMS_TIER_PRO","x"]},
			  {"label":"Fast","modelUid":"MODEL_PRIVATE_2"},
			  {"label":"Fast","modelOrAlias":{"model":"MODEL_PRIVATE_3"}},
			  {"label":"Acme Coder","modelUid":"acme-coder"}, 7],
			  "clientModelSorts":[{"name":"Acme"}]}}}`,
			`{"windsock":{"saved":1,"removed":["userStatus.cascadeModelConfigData.clientModelConfigs[].disabledReason",
			   "userStatus.cascadeModelConfigData.clientModelSorts"],"unnamed":0},
			  "userStatus":{"cascadeModelConfigData":{"clientModelConfigs":[
			  {"label":"Claude Opus 4.7 Thinking","modelUid":"claude-opus-4-7-thinking","creditMultiplier":6.5,"disabled":true,
			   "provider":"MODEL_PROVIDER_ANTHROPIC","allowedTiers":["TEAMS_TIER_PRO","removed"]},
			  {"label":"Model 2","modelUid":"MODEL_PRIVATE_2"},
			  {"label":"Model 3","modelOrAlias":{"model":"MODEL_PRIVATE_3"}},
			  {"label":"Model 4","modelUid":"model-4"}, 0]}}}`,
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

func TestMadeOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		in   map[string]bool
		want bool
	}{
		{"dailyQuotaResetAtUnix", billingWords, true},
		{"BILLING_STRATEGY_QUOTA", billingWords, true},
		{"dailyQuotaOfRobin", billingWords, false},
		{"accountNumber", billingWords, false},
		{"GPT-5.4 X-High Fast", modelWords, true},
		{"o4-mini", modelWords, true},
		{"claude-sonnet-4-20250514", modelWords, false}, // nine digits and more may be a telephone's
		{"gpt/5", modelWords, false},
		{"gpt\n5", modelWords, false},
		{"gрt-5", modelWords, false}, // with a Cyrillic letter
		{"12", modelWords, false},
		{"", modelWords, false},
		{strings.Repeat("gpt ", 17), modelWords, false},
	}
	for _, tt := range tests {
		if got := madeOf(tt.text, tt.in); got != tt.want {
			t.Errorf("madeOf(%q) = %v", tt.text, got)
		}
	}
}

// plants are what must not be in a saved answer, whatever was in the answer.
var plants = []string{
	"robin@example.com", "Robin Q. Example", "0b6e2f0a-3c1d-4a51-9a4e-2f6d0c9b7e11", "sk-ws-01-AbCdEf0123456789",
	"cog_7f3a9c", "/home/robin/secret-project", "eyJhbGciOiJIUzI1NiJ9",
}

// FuzzAnonymize: whatever the answer, nothing of a text in it gets into the saved
// one, and that one reads the same. The plant takes the place of every P.
func FuzzAnonymize(f *testing.F) {
	for i, raw := range usagetest.Inputs(f) {
		f.Add(raw, uint8(i))
		f.Add(bytes.ReplaceAll(raw, []byte(`"plan`), []byte(`"P`)), uint8(i))
	}
	f.Add([]byte(`{"userStatus":{"name":"P","P":{"P":["P"]},"planStatus":{"P":1,"planInfo":{"planName":"P","teamsTier":"P"},"acuLimit":"P"}}}`), uint8(0))
	f.Add([]byte(`{"userStatus":{"cascadeModelConfigData":{"clientModelConfigs":[{"label":"P","modelUid":"P","provider":"MODEL_P"}]}}}`), uint8(1))
	f.Fuzz(func(t *testing.T, raw []byte, which uint8) {
		sameReading(t, raw)
		plant := plants[int(which)%len(plants)]
		planted := bytes.ReplaceAll(raw, []byte("P"), []byte(plant))
		if saved := sameReading(t, planted); bytes.Contains(saved, []byte(plant)) {
			t.Fatalf("%q is still in %s", plant, saved)
		}
	})
}
