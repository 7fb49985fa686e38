package acp

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/probe/say"
)

// An agent is sent images if it takes them, and its models are listed so.
func TestImages(t *testing.T) {
	t.Parallel()
	const session = `{"sessionId":"s","configOptions":[{"id":"model","currentValue":"a","options":[` +
		`{"value":"a","name":"A"},{"value":"b","name":"B","_meta":{"cognition.ai/supportsImages":true}},{"value":"c","name":"C","_meta":{"cognition.ai/supportsImages":false}}]}]}`
	prompt := chat.Prompt{Text: "What is it?", Model: "a", Images: []chat.Image{
		{Kind: "image/png", Data: []byte("\x89PNG")}, {Kind: "image/gif", Data: []byte("GIF89a")},
	}}
	tests := []struct {
		name, capabilities string
		images             []bool // of the models
		says               string
		blocks             string // of the prompt
	}{
		{
			"takes", `{"promptCapabilities":{"image":true}}`,
			[]bool{true, true, false},
			"",
			`[{"text":"What is it?","type":"text"},{"data":"iVBORw==","mimeType":"image/png","type":"image"},{"data":"R0lGODlh","mimeType":"image/gif","type":"image"}]`,
		},
		{"takes_none", `{"promptCapabilities":{"image":false}}`, []bool{false, false, false}, "The agent of Devin takes no images, and no other model of this agent does.", ""},
		{"does_not_tell", `{}`, []bool{false, false, false}, "The agent of Devin takes no images, and no other model of this agent does.", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				blocks := ""
				r := newRig(Devin, func(p *puppet) {
					p.on[methodInitialize] = func(m gjson.Result) {
						p.result(m, `{"protocolVersion":1,"agentCapabilities":`+tt.capabilities+`}`)
					}
					p.on[methodNew] = func(m gjson.Result) { p.result(m, session) }
					p.on[methodPrompt] = func(m gjson.Result) {
						blocks = m.Get("params.prompt").Raw
						p.says("A cat")
						p.result(m, `{"stopReason":"end_turn"}`)
					}
				})
				defer r.Close()
				all, err := r.Models(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				var images []bool
				for _, m := range all.Models {
					images = append(images, m.Images)
				}
				if diff := cmp.Diff(tt.images, images); diff != "" {
					t.Errorf("models (-want +got):\n%s", diff)
				}
				got := r.ask(t.Context(), prompt)
				if says := say.Sentence(got.err, ""); says != tt.says || got.Sent != (tt.says == "") {
					t.Errorf("%q, %+v", says, got.Answer)
				}
				if diff := cmp.Diff(tt.blocks, blocks); diff != "" {
					t.Errorf("blocks (-want +got):\n%s", diff)
				}
			})
		})
	}
}
