package windsurf

import (
	"bytes"
	"strings"
	"testing"

	"windsock/probe/jsoncheck"
	"windsock/usage"
	"windsock/usage/saved/savedtest"
	"windsock/usage/usagetest"
)

var saver = savedtest.Product{Decode: Decode, Anonymize: Anonymize}

func TestAnonymizeKeepsWhatIsRead(t *testing.T) {
	t.Parallel()
	for _, raw := range usagetest.Samples(t) {
		saver.Save(t, raw)
	}
	for _, c := range usagetest.Cases[any](t, usage.Windsurf) {
		saver.Save(t, c.Input)
	}
}

func TestAnonymize(t *testing.T) {
	t.Parallel()
	const none = `"windsock":{"saved":1,"removed":0}`
	saver.Cases(t, map[string][2]string{
		"a_person_goes": {
			`{"userStatus":{"name":"Robin Example","email":"robin@example.com","teamId":"t","userId":"u","pro":true,"planStatus":{"acuConsumed":0.1554225}}}`,
			`{"windsock":{"saved":1,"removed":5},"userStatus":{"planStatus":{"acuConsumed":0.1554225}}}`,
		},
		"what_is_not_read_goes": {
			`{"planStatus":{"robin@example.com":1,"monthlyQuotaRemainingPercent":12,"planInfo":{"teamsTier":"TEAMS_TIER_ACME"}},"userStatus":{"cascadeModelConfigData":{}}}`,
			`{"windsock":{"saved":1,"removed":4},"planStatus":{"planInfo":{}},"userStatus":{}}`,
		},
		"saved_before": {
			`{"windsock":{"saved":1,"removed":7},"planStatus":{"a":1}}`,
			`{"windsock":{"saved":1,"removed":8},"planStatus":{}}`,
		},
		"plan_of_everybody": {
			`{"planInfo":{"planName":"Enterprise SaaS","billingStrategy":"BILLING_STRATEGY_QUOTA"}}`,
			`{` + none + `,"planInfo":{"planName":"Enterprise SaaS","billingStrategy":"BILLING_STRATEGY_QUOTA"}}`,
		},
		"plan_of_a_company": {
			`{"planInfo":{"planName":"Acme Enterprise","billingStrategy":"acme"},"gracePeriodStatus":4155550123}`,
			`{` + none + `,"planInfo":{"planName":"(name removed)","billingStrategy":"removed"},"gracePeriodStatus":0}`,
		},
		"unreadable_stays_unreadable": {
			`{"userStatus":"robin","planStatus":{"usedPromptCredits":"robin","availablePromptCredits":1e30,"planEnd":"Robin's birthday",
			  "topUpStatus":{"topUpEnabled":"robin"},"acuLimit":[1],"acuConsumed":{"a":"b"},"planStart":null,"planInfo":4155550123}}`,
			`{` + none + `,"userStatus":"removed","planStatus":{"usedPromptCredits":"removed","availablePromptCredits":1e999,"planEnd":"removed",
			  "topUpStatus":{"topUpEnabled":"removed"},"acuLimit":[],"acuConsumed":{},"planStart":null,"planInfo":0}}`,
		},
		"repeated_fields_stay_in_order": {
			`{"planStatus":{"acuLimit":1,"acuLimit":"two","acuLimit":3}}`,
			`{` + none + `,"planStatus":{"acuLimit":1,"acuLimit":"removed","acuLimit":3}}`,
		},
		"zone_and_far_digits_of_a_date_go": {
			`{"planStatus":{"planEnd":"2026-02-18T09:07:17.12345678901234567+05:30"}}`,
			`{` + none + `,"planStatus":{"planEnd":"2026-02-18T03:37:17.123456789Z"}}`,
		},
		"not_json":      {`<!DOCTYPE html><title>robin</title>`, `"no JSON: 35 bytes, begins with <"`},
		"broken":        {`{"userStatus":{"name":"robin`, `"no JSON: 28 bytes, begins with {"`},
		"empty":         {``, `"no JSON: 0 bytes"`},
		"a_text":        {`"robin"`, `"JSON, and no object: 7 bytes"`},
		"a_list":        {` ["robin"]`, `"JSON, and no object: 10 bytes, begins with ["`},
		"deep":          {`{"a":` + strings.Repeat("[", jsoncheck.MaxDepth) + strings.Repeat("]", jsoncheck.MaxDepth) + `}`, `"no JSON: 20006 bytes, begins with {"`},
		"nothing_in_it": {`{}`, `{` + none + `}`},
	})
}

// FuzzAnonymize: no text of an answer gets into the saved one, and both read the same.
// The plant takes the place of every P.
func FuzzAnonymize(f *testing.F) {
	for i, c := range usagetest.Cases[any](f, usage.Windsurf) {
		f.Add([]byte(c.Input), uint8(i))
		f.Add(bytes.ReplaceAll(c.Input, []byte(`"plan`), []byte(`"P`)), uint8(i))
	}
	f.Add([]byte(`{"userStatus":{"name":"P","P":{"P":["P"]},"planStatus":{"P":1,"planInfo":{"planName":"P","teamsTier":"P"},"acuLimit":"P"}}}`), uint8(0))
	saver.Fuzz(f, func(*testing.T, usage.Snapshot, error) {})
}
