package cascade

import (
	"errors"
	"io"
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/probe"
	"windsock/probe/jsoncheck"
	"windsock/probe/jsonpick"
	"windsock/probe/say"
	"windsock/probe/system/systemtest"
)

// clientOf is a Client on a server with these answers, by method.
func clientOf(tb testing.TB, answers map[string]http.HandlerFunc) *Client {
	tb.Helper()
	server := systemtest.Serve(tb, systemtest.Token, func(w http.ResponseWriter, r *http.Request) {
		do := answers[path.Base(r.URL.Path)]
		if do == nil {
			systemtest.Answer(w, http.StatusNotImplemented, `{"code":"unimplemented","message":"planted"}`)
			return
		}
		do(w, r)
	})
	return clientAt(tb, server.URL)
}

func clientAt(tb testing.TB, url string) *Client {
	tb.Helper()
	system := &systemtest.Fake{}
	system.Add("--ide_name windsurf", url)
	finder := probe.NewFinder(probe.WithDirs(systemtest.SignIn(tb, "sk-ws-01-test-key")), probe.WithSystem(system))
	sessions, err := finder.Servers(tb.Context(), probe.VariantsOf(probe.Windsurf))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(sessions[0].Close)
	return NewClient(sessions[0])
}

func responds(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { systemtest.Answer(w, status, body) }
}

func at(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }

func TestReadSpent(t *testing.T) {
	t.Parallel()
	const first = "2026-02-03T10:00:00Z"
	from := at(1770112800)
	tests := []struct {
		name, step string
		want       Spent
	}{
		{"nothing", `{}`, Spent{}},
		{"null", `null`, Spent{}},
		{
			"prompt", `{"type":"CORTEX_STEP_TYPE_USER_INPUT","status":"CORTEX_STEP_STATUS_DONE","metadata":{"createdAt":"` + first + `","requestedModelUid":"swe-1-6","promptCreditsUsed":150}}`,
			Spent{Created: from, Prompt: true, Model: "swe-1-6", Cost: chat.Cost{Credits: new(1.5)}},
		},
		{
			"answer", `{"type":"CORTEX_STEP_TYPE_PLANNER_RESPONSE","metadata":{"createdAt":"` + first + `","completedAt":"2026-02-03T10:00:05.5Z","usageTimestamp":"2026-02-03T10:00:07Z",` +
				`"requestId":"r-1","generatorModelUid":"a","requestedModelUid":"b","acuCost":0.25,"quotaCostBasisPoints":"12","overageCostCents":"0",` +
				`"modelUsage":{"inputTokens":"400","cacheWriteTokens":"50","cacheReadTokens":"1000","outputTokens":"30","modelUid":"c"},"inputTokens":"7","cacheReadTokens":"9"}}`,
			Spent{
				Created: from, At: from.Add(7 * time.Second), Request: "r-1", Answer: true, Model: "a",
				Cost:  chat.Cost{ACU: new(0.25), QuotaPercent: new(0.12), OverageUSD: new(0.0)},
				Input: new(int64(1450)), Output: new(int64(30)), Cached: new(int64(1000)),
			},
		},
		{"completed", `{"metadata":{"completedAt":"2026-02-03T10:00:00Z"}}`, Spent{At: from}},
		{"model_of_the_usage", `{"type":"CORTEX_STEP_TYPE_PLANNER_RESPONSE","metadata":{"requestedModelUid":"b","modelUsage":{"modelUid":"c"}}}`, Spent{Answer: true, Model: "c"}},
		{"model_asked_for", `{"type":"CORTEX_STEP_TYPE_PLANNER_RESPONSE","metadata":{"requestedModelUid":"b"}}`, Spent{Answer: true, Model: "b"}},
		{"tool_of_a_model", `{"type":"CORTEX_STEP_TYPE_VIEW_FILE","metadata":{"generatorModelUid":"a"}}`, Spent{Answer: true, Model: "a"}},
		{"tool", `{"type":"CORTEX_STEP_TYPE_VIEW_FILE","metadata":{"requestedModelUid":"b"}}`, Spent{Model: "b"}},
		{"prompt_with_a_generator", `{"type":"CORTEX_STEP_TYPE_USER_INPUT","metadata":{"generatorModelUid":"a"}}`, Spent{Prompt: true}},
		{"tokens_of_the_metadata", `{"metadata":{"modelUsage":{},"inputTokens":"7","cacheReadTokens":"9"}}`, Spent{Input: new(int64(16)), Cached: new(int64(9))}},
		{"input_alone", `{"metadata":{"inputTokens":"7"}}`, Spent{Input: new(int64(7))}},
		{"no_output", `{"metadata":{"modelUsage":{"inputTokens":"7"}}}`, Spent{Input: new(int64(7)), Output: new(int64(0)), Cached: new(int64(0))}},
		{"pending", `{"status":"CORTEX_STEP_STATUS_PENDING"}`, Spent{Open: true}},
		{"running", `{"status":"CORTEX_STEP_STATUS_RUNNING"}`, Spent{Open: true}},
		{"generating", `{"status":"CORTEX_STEP_STATUS_GENERATING"}`, Spent{Open: true}},
		{"waiting", `{"status":"CORTEX_STEP_STATUS_WAITING"}`, Spent{Open: true}},
		{"later_status", `{"status":"CORTEX_STEP_STATUS_DREAMING"}`, Spent{}},
		{"other_types", `{"type":7,"status":[],"metadata":{"createdAt":5,"completedAt":"soon","usageTimestamp":"1970-01-01T00:00:00Z","requestId":{},"generatorModelUid":"two words",` +
			`"promptCreditsUsed":-5,"acuCost":"much","modelUsage":[1],"inputTokens":0.5,"cacheReadTokens":1e300}}`, Spent{}},
		{"metadata_list", `{"metadata":[{"acuCost":1}]}`, Spent{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.Index = 4
			got := readSpent(gjson.Parse("["+tt.step+"]"), 4)
			if diff := cmp.Diff([]Spent{tt.want}, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Steps are read from an index on, of a server of each age, and none of their content.
func TestSpent(t *testing.T) {
	t.Parallel()
	step := func(credits int) string {
		return `{"type":"CORTEX_STEP_TYPE_VIEW_FILE","metadata":{"promptCreditsUsed":` + strconv.Itoa(credits) + `,"toolCall":{"argumentsJson":"planted"}},"viewFile":{"content":"planted"}}`
	}
	all := []string{step(100), step(200), step(300)}
	steps := func(w http.ResponseWriter, r *http.Request) {
		request, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		from := gjson.GetBytes(request, "stepOffset").Int()
		systemtest.Answer(w, http.StatusOK, `{"steps":[`+strings.Join(all[from:], ",")+`]}`)
	}
	whole := responds(200, `{"status":"CASCADE_RUN_STATUS_IDLE","trajectory":{"steps":[`+strings.Join(all, ",")+`]}}`)
	tests := []struct {
		name    string
		answers map[string]http.HandlerFunc
	}{
		{"now", map[string]http.HandlerFunc{"GetCascadeTrajectorySteps": steps}},
		{"older", map[string]http.HandlerFunc{"GetCascadeTrajectory": whole}},
		{"bare_404", map[string]http.HandlerFunc{"GetCascadeTrajectorySteps": http.NotFound, "GetCascadeTrajectory": whole}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := clientOf(t, tt.answers)
			for from := range 4 {
				got, err := c.Spent(t.Context(), "c-1", from)
				if err != nil {
					t.Fatal(err)
				}
				var want []Spent
				for i := from; i < len(all); i++ {
					want = append(want, Spent{Index: i, Cost: chat.Cost{Credits: new(float64(i + 1))}})
				}
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("from %d: (-want +got):\n%s", from, diff)
				}
			}
		})
	}
}

// A server that has the one call alone is asked for the other once.
func TestSpentAsksOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	count := func(name string, do http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked[name]++
			mu.Unlock()
			do(w, r)
		}
	}
	c := clientOf(t, map[string]http.HandlerFunc{
		"GetCascadeTrajectorySteps": count("steps", http.NotFound), "GetCascadeTrajectory": count("whole", responds(200, `{}`)),
	})
	for range 3 {
		if _, err := c.Spent(t.Context(), "c-1", 0); err != nil {
			t.Fatal(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff(map[string]int{"steps": 1, "whole": 3}, asked); diff != "" {
		t.Error(diff)
	}
}

func TestSpentFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer http.HandlerFunc
		code   string
	}{
		{"no_such_call", nil, "no_spend"},
		{"cut", responds(200, `{"steps":[{"type":"planted`), "bad_response"},
		{"no_json", responds(200, `{"steps":[{"type":planted}]}`), "bad_response"},
		{"told", responds(400, `{"code":"failed_precondition","message":"planted: not idle"}`), "bad_response"},
		{"unknown", responds(404, `{"code":"not_found","message":"planted"}`), "bad_response"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := clientOf(t, map[string]http.HandlerFunc{"GetCascadeTrajectorySteps": tt.answer, "GetAllCascadeTrajectories": tt.answer})
			_, err := c.Spent(t.Context(), "c-1", 0)
			_, unlisted := c.Listed(t.Context())
			for _, err := range []error{err, unlisted} {
				if say.Code(err) != tt.code || errors.Is(err, ErrUnsupported) != (tt.code == "no_spend") {
					t.Errorf("error %v", err)
				}
				if told := say.Sentence(err, "") + err.Error(); strings.Contains(told, "planted") {
					t.Errorf("%q tells what the server wrote", told)
				}
			}
		})
	}
}

// An error inside an answer that reports success is no cascade without steps, which
// would count as read.
func TestSpentFailsInside(t *testing.T) {
	t.Parallel()
	inside := responds(200, `{"deltaMessage":{"isError":true,"text":"planted"}}`)
	for _, call := range []string{"GetCascadeTrajectorySteps", "GetCascadeTrajectory"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			_, err := clientOf(t, map[string]http.HandlerFunc{call: inside}).Spent(t.Context(), "c-1", 0)
			if !errors.Is(err, errRefused) || strings.Contains(err.Error(), "planted") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestListed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, entry string
		want        Listed
	}{
		{
			"all", `"summary":"old","renamedTitle":"A title","stepCount":7,"status":"CASCADE_RUN_STATUS_IDLE","lastModifiedTime":"2026-02-03T10:00:05Z","createdTime":"2026-02-03T10:00:00Z",` +
				`"workspaces":[{},{"workspaceFolderAbsoluteUri":"file:///a","gitRootAbsoluteUri":"file:///b"}],"isArchived":true,"hidden":true`,
			Listed{Title: "A title", Workspace: "file:///a", Created: at(1770112800), Modified: at(1770112805), Steps: 7},
		},
		{"nothing", ``, Listed{}},
		{"git_root", `"workspaces":[{"gitRootAbsoluteUri":"file:///b"}]`, Listed{Workspace: "file:///b"}},
		{"runs", `"status":"CASCADE_RUN_STATUS_RUNNING"`, Listed{Runs: true}},
		{"later_status", `"status":"CASCADE_RUN_STATUS_DREAMING"`, Listed{Runs: true}},
		{"queued", `"queueSize":1`, Listed{Runs: true}},
		{"no_time", `"createdTime":"1970-01-01T00:00:00Z","lastModifiedTime":"1970-01-01T00:00:00Z"`, Listed{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := clientOf(t, map[string]http.HandlerFunc{"GetAllCascadeTrajectories": responds(200, `{"trajectorySummaries":{"c-1":{`+tt.entry+`}}}`)})
			got, err := c.Listed(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			tt.want.ID = "c-1"
			if diff := cmp.Diff([]Listed{tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzReadSpent reads whatever a server may send, as a call does.
func FuzzReadSpent(f *testing.F) {
	f.Add(`{"steps":[{"type":"CORTEX_STEP_TYPE_USER_INPUT","metadata":{"promptCreditsUsed":5,"createdAt":"2026-02-03T10:00:00Z"}},{},null,[{"metadata":1}]],"x":"planted"}`)
	f.Add(`{"steps":[{"metadata":{"modelUsage":{"inputTokens":"1e400","cacheReadTokens":-1},"acuCost":"Infinity"}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var picked strings.Builder
		if _, err := io.Copy(&picked, jsonpick.NewReader(strings.NewReader(text), jsonpick.Fields{"steps": spentFields})); err != nil || !jsoncheck.Valid([]byte(picked.String())) {
			return
		}
		for i, s := range readSpent(gjson.Get(picked.String(), "steps"), 3) {
			if s.Index != 3+i {
				t.Errorf("step %d has index %d", i, s.Index)
			}
			for _, n := range []*int64{s.Input, s.Output, s.Cached} {
				if n != nil && *n < 0 {
					t.Errorf("%d tokens", *n)
				}
			}
			for _, n := range []*float64{s.Cost.Credits, s.Cost.ACU, s.Cost.QuotaPercent, s.Cost.OverageUSD} {
				if n != nil && (*n < 0 || math.IsInf(*n, 0) || math.IsNaN(*n)) {
					t.Errorf("cost %v", *n)
				}
			}
			if s.Prompt && s.Answer {
				t.Error("a prompt is an answer")
			}
		}
	})
}
