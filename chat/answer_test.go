package chat_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
)

func TestTook(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0.0 s", 3240 * time.Millisecond: "3.2 s", 59949 * time.Millisecond: "59.9 s", 59950 * time.Millisecond: "1m 0s",
		63 * time.Second: "1m 3s", 119900 * time.Millisecond: "2m 0s", 10 * time.Minute: "10m 0s",
	} {
		if got := chat.Took(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestAnswerCostWords(t *testing.T) {
	t.Parallel()
	two := 2.0
	tokens := &chat.Tokens{Input: 13622, Output: 40}
	tests := []struct {
		name string
		of   chat.Answer
		want string
	}{
		{"cascade", chat.Answer{Engine: chat.Cascade, Cost: chat.Cost{Credits: &two}}, "2 credits"},
		{"cascade_untold", chat.Answer{}, "cost not told"},
		{"agent", chat.Answer{Engine: "devin", Tokens: tokens}, "13,622 tokens in, 40 out · cost not told"},
		{"agent_with_cost", chat.Answer{Engine: "devin", Tokens: tokens, Cost: chat.Cost{Credits: &two}}, "13,622 tokens in, 40 out · 2 credits"},
		{"agent_without_tokens", chat.Answer{Engine: "devin", Cost: chat.Cost{Credits: &two}}, "tokens not told · 2 credits"},
		{"agent_untold", chat.Answer{Engine: "cursor"}, "neither cost nor tokens told"},
	}
	for _, tt := range tests {
		if got := tt.of.CostWords(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestAccount: what a program gets that reads cascade_id is a cascade's, or null.
func TestAccount(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, want string
		of         chat.Answer
	}{
		{
			"cascade", `{"engine":"cascade","ref":"c1","cascade_id":"c1","duration_ms":2000,"archived":true,"tool_only":false,` +
				`"cost":{"credits":null,"acu":null,"quota_percent":null,"overage_usd":null},"tokens":null}`,
			chat.Answer{Engine: chat.Cascade, Ref: "c1", Duration: 2 * time.Second},
		},
		{
			"agent", `{"engine":"devin","ref":"s1","cascade_id":null,"duration_ms":0,"archived":false,"tool_only":false,` +
				`"cost":{"credits":null,"acu":null,"quota_percent":null,"overage_usd":null},"tokens":{"input":13622,"output":40,"cached":null}}`,
			chat.Answer{Engine: "devin", Ref: "s1", Left: chat.LeftForGood, Tokens: &chat.Tokens{Input: 13622, Output: 40}},
		},
	}
	for _, tt := range tests {
		got, err := json.Marshal(tt.of.Account())
		if diff := cmp.Diff(tt.want, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}
