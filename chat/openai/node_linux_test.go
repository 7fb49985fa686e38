package openai

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
)

// npmPackage is OpenAI's library for Node.
const npmPackage = "openai@7.57.0"

// unpackLibrary puts the library into a directory: what runs of it, a tenth of what
// npm would install, since it depends on nothing else.
func unpackLibrary(t *testing.T, dir string) error {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"npm", "pack", "--prefer-offline", "--ignore-scripts", npmPackage},
		{"tar", "-xzf", strings.ReplaceAll(npmPackage, "@", "-") + ".tgz", "--strip-components=1", "--exclude=package/src", "--wildcards", "*.mjs", "*.js", "package/package.json"},
	} {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", args[0], err, out)
		}
	}
	return nil
}

// TestNode runs testdata/openai.mjs.
func TestNode(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("npm and Node do most of the work")
	}
	probetest.NeedTools(t, "node", "npm")
	dir := t.TempDir()
	if err := unpackLibrary(t, filepath.Join(dir, "node_modules", "openai")); err != nil {
		probetest.Lacks(t, npmPackage+": "+err.Error())
	}
	script, err := os.ReadFile(filepath.Join("testdata", "openai.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	// Node looks for libraries beside a script.
	if err := os.WriteFile(filepath.Join(dir, "openai.mjs"), script, 0o600); err != nil {
		t.Fatal(err)
	}
	// What is rewritten has to be seen before, also on a busy machine.
	slower := quick
	slower.Cascade.Tick = 50 * time.Millisecond
	e := startEditor(t, slower)
	s := run(t, nil, e.behind(t))
	node := exec.CommandContext(t.Context(), "node", "openai.mjs")
	node.Dir = dir
	node.Env = append(os.Environ(), "OPENAI_BASE_URL="+s.base+"/v1", "OPENAI_API_KEY="+s.key)
	var stderr strings.Builder
	node.Stderr = &stderr
	out, err := node.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	got := map[string]string{}
	for line := range strings.Lines(string(out)) {
		var l struct {
			Check string
			Got   json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got[l.Check] = string(l.Got)
	}
	want := map[string]string{
		"models":             `true`,
		"chat":               `["turn:echo and no more","stop","claude-opus-4.5"]`,
		"stream":             `"It was busy for a while."`,
		"stream_helper":      `["It was busy for a while.","stop"]`,
		"cancel":             `true`,
		"tool_call":          `["tool_calls","function",{"name":"get_weather","arguments":"{\"city\":\"Paris\"}"}]`,
		"tool_result":        `["It was busy for a while.","stop"]`,
		"tool_stream":        `["tool_calls","{\"city\":\"Paris\"}"]`,
		"response_call":      `["completed","I call it.","get_weather","{\"city\":\"Paris\"}"]`,
		"response_result":    `["completed","The tool has answered. (All of this is simulated.)"]`,
		"response_stream":    `["completed",["message","function_call"]]`,
		"response_rewritten": `["response.failed","answer_rewritten"]`,
		"response_parsed":    `{"city":"Paris"}`,
		"previous_response":  `["BadRequestError",400,"unsupported_parameter"]`,
		"unknown_model":      `["NotFoundError",404,"model_not_found"]`,
		"exhausted":          `["RateLimitError",429,"quota_exhausted"]`,
		"exhausted_stream":   `["RateLimitError",429,"quota_exhausted"]`,
		"image":              `["BadRequestError",400,"image_kind"]`,
		"wrong_key":          `["AuthenticationError",401,"invalid_api_key"]`,
		"turn_failed":        `["InternalServerError",502,"turn_failed"]`,
		"rewritten":          `["APIError",null,"answer_rewritten"]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	probetest.Eventually(t, "the slots are free", func() bool { return s.now().Requests == 0 })
	if left, _ := e.left(); len(left) > 0 || e.Count()["CancelCascadeInvocation"] < 1 {
		t.Errorf("left %v, calls %v", left, e.Count())
	}
	if bad := e.Violations(); len(bad) > 0 {
		t.Error(bad)
	}
}
