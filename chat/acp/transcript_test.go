package acp

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/chat"
)

// row is one message of a transcript.
type row struct {
	client bool
	msg    gjson.Result
}

func readTranscript(t *testing.T, name string) (rows []row) {
	t.Helper()
	text, err := os.ReadFile("testdata/transcripts/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		rows = append(rows, row{gjson.Get(line, "dir").String() == "client", gjson.Get(line, "msg")})
	}
	return rows
}

// extra are what Windsock asks for beyond what the recorded clients did.
var extra = []string{methodSetOption, methodSetMode, methodSetModel, methodDelete}

// play is a puppet that plays a transcript. A client's message has to be the recorded
// one in its method, its session, its prompt, its choice or its answer. It stops
// playing, and returns false, when the client cancels and the recorded one did not.
func play(t *testing.T, p *puppet, rows []row) bool {
	t.Helper()
	ids := map[string]string{} // of the recorded client, and what Windsock has instead
	for _, r := range rows {
		time.Sleep(10 * time.Millisecond) // in a bubble
		if !r.client {
			line := r.msg.Raw
			if id := r.msg.Get("id"); id.Exists() && !r.msg.Get("method").Exists() {
				line = strings.Replace(line, `"id":`+id.Raw, `"id":`+ids[id.Raw], 1)
			}
			p.write(line)
			continue
		}
		got, ok := p.next()
		for ; ok && got.Get("method").String() != r.msg.Get("method").String(); got, ok = p.next() {
			if got.Get("method").String() == methodCancel {
				return false
			}
			if !slices.Contains(extra, got.Get("method").String()) {
				t.Errorf("came %s, want %s", got, r.msg)
				return false
			}
			p.result(got, `{}`)
		}
		if !ok {
			t.Errorf("the client left before %s", r.msg)
			return false
		}
		fields := []string{"jsonrpc", "params.sessionId", "params.prompt", "params.configId", "params.value", "params.mcpServers", "result", "error"}
		if !r.msg.Get("method").Exists() {
			fields = append(fields, "id")
		}
		for _, field := range fields {
			if want := r.msg.Get(field); !sameJSON(got.Get(field).Raw, want.Raw) {
				t.Errorf("%s is %s, want %s", field, got.Get(field), want)
			}
		}
		ids[r.msg.Get("id").Raw] = got.Get("id").Raw
	}
	return true
}

func TestTranscripts(t *testing.T) {
	t.Parallel()
	tokens := func(input, output int64) *chat.Tokens { return &chat.Tokens{Input: input, Output: output} }
	cached := int64(32)
	usd := func(n float64) chat.Cost { return chat.Cost{ListPrice: &chat.Price{Amount: n, Currency: "USD"}} }
	const example = "ACP Go Example Agent — demo only (no AI model).I'll help you with that. Let me start by reading some files to understand the current situation."
	tests := []struct {
		name   string
		model  string
		cancel string // at this event
		want   chat.Answer
		code   chat.Code
		words  string // of the failure
		works  []string
		leaves bool // the client, before the end of the transcript
	}{
		{
			name: "turn", model: "m-deep",
			want: chat.Answer{Text: "EXDEV is the error of a link or rename across two file systems.", Ref: "sess_1", Cost: usd(0.045), Tokens: tokens(13622, 30)},
		},
		{
			name: "refused", works: []string{"execute…"},
			want: chat.Answer{Text: "I was not allowed to delete anything.", Ref: "sess_1"},
		},
		{
			name: "cancelled_while_asking", cancel: "execute…", works: []string{"execute…"}, code: "cancelled",
			want: chat.Answer{Ref: "sess_1"},
		},
		{name: "signed_out", code: chat.NotSignedIn, words: "Authentication required"},
		{
			name: "devin", model: "swe-1-6-slow",
			want: chat.Answer{Text: "ok", Ref: "prickly-conga", Tokens: &chat.Tokens{Input: 13622, Output: 30, Cached: &cached}},
		},
		{name: "devin_exhausted", code: chat.QuotaExhausted, words: "Quota exhausted.", want: chat.Answer{Ref: "prickly-conga"}},
		{
			name: "opencode", model: "local/fake",
			want: chat.Answer{Text: "Hello from the fake model.", Ref: "ses_dfde9f3b7ffeezUeXPMi3pCadr", Left: chat.LeftForGood, Cost: usd(0), Tokens: tokens(11, 3)},
		},
		{
			name: "opencode_acts", works: []string{"execute…"}, code: chat.AgentActs, words: "it may have run a command",
			want: chat.Answer{Ref: "ses_dfde90537ffevUEij5Wx8twV17", Left: chat.LeftForGood},
		},
		{ // it says that the command runs before it asks, so it cannot be told from one that does not ask
			name: "opencode_refused", works: []string{"execute…"}, code: chat.AgentActs, words: "it may have run a command", leaves: true,
			want: chat.Answer{Ref: "ses_dfde83c3bffetW7hJFwBFRU4Im", Left: chat.LeftForGood},
		},
		{
			name: "gemini", model: "auto",
			want: chat.Answer{Text: "Hello from the fake model.", Ref: "085f7054-53e3-4c79-80b2-ab371cedd3bf", Left: chat.LeftForGood, Tokens: tokens(11, 3)},
		},
		{name: "gemini_signed_out", code: chat.NotSignedIn, words: "Gemini API key is missing or not configured."},
		{
			name: "example_refused", works: []string{"read…", "edit…"},
			want: chat.Answer{
				Text: example + " Now I understand the project structure. I need to make some changes to improve it." +
					" I understand you prefer not to make that change. I'll skip the configuration update.",
				Ref: "sess_027cbbbab9926b6772f14c8d", Left: chat.LeftForGood,
			},
		},
		{
			name: "example_cancelled", cancel: "read…", works: []string{"read…"}, code: "cancelled",
			want: chat.Answer{Text: example, Ref: "sess_340c4c2673f75642245d232b", Left: chat.LeftForGood},
		},
	}
	files, err := os.ReadDir("testdata/transcripts")
	if err != nil || len(files) != len(tests) {
		t.Errorf("%d transcripts, %v", len(files), err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rows := readTranscript(t, tt.name)
				if tt.name == "devin_exhausted" { // has the prompt alone
					begun := readTranscript(t, "devin")
					prompt := slices.IndexFunc(begun, func(r row) bool { return r.msg.Get("method").String() == methodPrompt })
					rows = append(begun[:prompt], rows...)
				}
				var prompt chat.Prompt
				for _, r := range rows {
					if r.msg.Get("method").String() == methodPrompt {
						prompt.Text = r.msg.Get("params.prompt.0.text").String()
					}
				}
				prompt.Model = tt.model
				r := newRig(Devin, nil)
				r.serve = func(p *puppet) {
					if played := play(t, p, rows); played == tt.leaves {
						t.Errorf("played to the end: %v", played)
					}
					p.serve()
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var got asked
				got.Answer, got.err = r.Ask(ctx, prompt, func(e chat.Event) {
					if got.events = append(got.events, e); e.Text == tt.cancel {
						cancel()
					}
				})
				r.Close()
				grown, works := "", []string(nil)
				for _, e := range got.events {
					if e.Kind == chat.Works {
						works = append(works, e.Text)
					} else {
						grown += e.Text
					}
				}
				tt.want.Duration, tt.want.Sent = got.Duration, tt.want.Ref != ""
				if diff := cmp.Diff(tt.want, got.Answer); diff != "" || got.code() != tt.code || grown != got.Text {
					t.Errorf("%v, grown to %q (-want +got):\n%s", got.err, grown, diff)
				}
				if f, _ := got.err.(*chat.Failure); tt.words != "" && (f == nil || f.Words != tt.words) { //nolint:errorlint // as it is returned
					t.Errorf("words of %+v", got.err)
				}
				if diff := cmp.Diff(tt.works, works); diff != "" {
					t.Errorf("works (-want +got):\n%s", diff)
				}
				if list, _ := r.queue.Waiting(ctx); len(list) > 0 {
					t.Errorf("still to be deleted: %v", list)
				}
			})
		})
	}
}
