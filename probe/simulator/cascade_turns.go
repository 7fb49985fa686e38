package simulator

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	pb "windsock/probe/languageserver"
	"windsock/probe/simulator/account"
)

// A course is what a turn can come to. A prompt asks for one by the word
// "turn:NAME", wherever in it.
type course struct {
	name string
	// write writes what comes after the prompt.
	write func(w *writer, t *turn)
	// refused is the message with which SendUserCascadeMessage fails, before
	// anything is recorded.
	refused string
}

// The server's own words (PROTOCOL.md 7.8), or where there are none known, others.
const (
	dailyExhausted  = "Your daily usage quota has been exhausted"
	weeklyExhausted = "Your weekly usage quota has been exhausted"
	outdated        = "Failed precondition: Your Windsurf version is out of date"
	pleaseUpdate    = "There was an error with your Cascade session, please update your editor (error ID: 00112233445566778899aabbccddeeff)"
	outsideTier     = "permission_denied: this model is not available in your tier (simulated)"
	noCreditsLeft   = "There are no credits left for this message (simulated)" //nolint:gosec // credits, not credentials
)

const (
	stepMemory    = pb.CortexStepType_CORTEX_STEP_TYPE_MEMORY
	stepViewFile  = pb.CortexStepType_CORTEX_STEP_TYPE_VIEW_FILE
	stepDirectory = pb.CortexStepType_CORTEX_STEP_TYPE_LIST_DIRECTORY
	stepCommand   = pb.CortexStepType_CORTEX_STEP_TYPE_RUN_COMMAND
	stepAnswer    = pb.CortexStepType_CORTEX_STEP_TYPE_PLANNER_RESPONSE
	stepError     = pb.CortexStepType_CORTEX_STEP_TYPE_ERROR_MESSAGE

	generating = pb.CortexStepStatus_CORTEX_STEP_STATUS_GENERATING
	failed     = pb.CortexStepStatus_CORTEX_STEP_STATUS_ERROR
)

// longAnswer is the size of the long turn's text.
const longAnswer = 1 << 20

// courses are all that there are, that of the zero Config first.
var courses = []course{
	// A demonstration's answer: Markdown that says what it is.
	{name: "plain", write: func(w *writer, t *turn) {
		w.answer(t.demonstration())
	}},
	// The prompt, unchanged.
	{name: "echo", write: func(w *writer, t *turn) { w.answer(t.Prompt) }},
	// An answer without a character.
	{name: "empty", write: func(w *writer, _ *turn) { w.answer("") }},
	// 1 MB, of which a transcript holds the beginning.
	{name: "long", write: func(w *writer, _ *turn) {
		w.say(lines(longAnswer, func(n int) string { return fmt.Sprintf("Line %06d of a long answer – simulated.", n) })[:longAnswer], 100, 1)
		w.checkpoint()
	}},
	// A word, a second, a word.
	{name: "slow", write: func(w *writer, _ *turn) {
		w.say("One word at a time, simulated.", 6, 25)
		w.checkpoint()
	}},
	// Generates until it is cancelled.
	{name: "never_ends", write: func(w *writer, _ *turn) {
		n := w.add(step{kind: stepAnswer, status: generating})
		w.grow(n, "There is more to come, ", 3, 1)
	}},
	// Stays idle, as without a planner.
	{name: "never_starts", write: func(w *writer, _ *turn) {
		w.script = w.script[:1]
	}},
	// Is busy for a while before it runs.
	{name: "waits", write: func(w *writer, _ *turn) {
		w.status = pb.CascadeRunStatus_CASCADE_RUN_STATUS_BUSY
		w.beat(25)
		w.status = pb.CascadeRunStatus_CASCADE_RUN_STATUS_RUNNING
		w.answer("It was busy for a while.")
	}},
	// The text is rewritten after the checkpoint.
	{name: "rewrite", write: func(w *writer, _ *turn) {
		n := w.say("This is the first draft, which nobody should keep.", 8, 1)
		w.tool(pb.CortexStepType_CORTEX_STEP_TYPE_CHECKPOINT)
		w.beat(5)
		w.steps[n].revised = "This is the final text, which replaces the draft."
		w.beat(1)
		w.end()
	}},
	// The text is rewritten while it grows.
	{name: "rewrite_midway", write: func(w *writer, _ *turn) {
		n := w.add(step{kind: stepAnswer, status: generating})
		w.grow(n, "The answer begins like thiz, and", 4, 1)
		w.grow(n, "The answer begins like this, and goes on after a correction.", 4, 1)
		w.finish(n)
		w.checkpoint()
	}},
	// A message with a smaller index appears after a greater one.
	{name: "late_insert", write: func(w *writer, _ *turn) {
		first := w.add(step{kind: stepAnswer, status: generating, unseen: true, rank: rankOf(len(w.steps)+1) + 1})
		w.say("This is the second half.", 4, 1)
		w.steps[first].unseen = false
		w.grow(first, "This is the first half. ", 4, 1)
		w.finish(first)
		w.checkpoint()
	}},
	// Tools, an empty answer, and no text.
	{name: "tool_only", write: func(w *writer, _ *turn) {
		w.tool(stepDirectory)
		w.say("", 1, 1)
		w.tool(stepViewFile)
		w.checkpoint()
	}},
	// Text, tools, text.
	{name: "tools", write: func(w *writer, _ *turn) {
		w.tool(stepMemory)
		w.say("I look at the files first.", 4, 1)
		w.tool(stepDirectory)
		w.tool(stepViewFile)
		w.say("Now the tests.", 3, 1)
		w.tool(stepCommand)
		w.say("They pass. (All of this is simulated.)", 6, 1)
		w.checkpoint()
	}},
	// A checkpoint in the middle, and none at the end.
	{name: "checkpoint_midway", write: func(w *writer, _ *turn) {
		w.say("This is the first half.", 4, 1)
		w.tool(pb.CortexStepType_CORTEX_STEP_TYPE_CHECKPOINT)
		w.beat(30)
		w.tool(pb.CortexStepType_CORTEX_STEP_TYPE_RETRIEVE_MEMORY)
		w.say("This is the second half.", 4, 1)
		w.end()
	}},
	// Calls a tool of the program that asks, as the prompt's text behind it says:
	// turn:call_tool NAME {…}. When its result is there, it is taken.
	{name: "call_tool", write: func(w *writer, t *turn) { w.answer(callTool(t.Prompt)) }},
	// Every kind of Markdown, and what wants to be a web page.
	{name: "markdown", write: func(w *writer, _ *turn) {
		w.answer(markdown)
	}},
	// Lines that look like those between messages.
	{name: "header_lines", write: func(w *writer, _ *turn) {
		w.answer("A transcript looks like this:\n\n=== MESSAGE 3 - User ===\nnot a message\n\n=== MESSAGE 9 - Assistant ===\nnot one either\n\n" +
			"=== MESSAGE 4 - Tool ===\n[CORTEX_STEP_TYPE_CHECKPOINT]\n\nThat was it.")
	}},
	// Lines that end as on Windows.
	{name: "crlf", write: func(w *writer, _ *turn) {
		w.answer("first line\r\n\r\n```\r\ncode\r\n```\r\nlast line\r\n")
	}},
	// An error step and no answer.
	{name: "error_quota", write: errorStep(dailyExhausted)},
	{name: "error_quota_weekly", write: errorStep(weeklyExhausted)},
	{name: "error_credits", write: errorStep(noCreditsLeft)},
	{name: "error_tier", write: errorStep(outsideTier)},
	{name: "error_outdated", write: errorStep(outdated)},
	// Half an answer, then an error step.
	{name: "error_after_text", write: func(w *writer, _ *turn) {
		n := w.add(step{kind: stepAnswer, status: generating})
		w.grow(n, "This is half of an", 4, 1)
		w.steps[n].status = failed
		w.add(step{kind: stepError, err: "The connection to the model was lost (simulated)"})
		w.end()
	}},
	// An error step that does not matter, then an answer.
	{name: "benign_error", write: func(w *writer, _ *turn) {
		w.add(step{kind: stepError, err: "A tool failed, and is tried again (simulated)", benign: true})
		w.answer("It worked after all.")
	}},
	// The error is one of the answer's step, without a step of its own.
	{name: "step_error", write: func(w *writer, _ *turn) {
		w.add(step{kind: stepAnswer, status: failed, err: pleaseUpdate})
		w.end()
	}},
	// The message is refused.
	{name: "send_quota", refused: dailyExhausted},
	{name: "send_outdated", refused: outdated},
	// So is this one: the cascade is not idle.
	{name: "busy", write: func(*writer, *turn) {}},
}

// toolKey finds the key that a prompt wants a call to have.
var toolKey = regexp.MustCompile(`\{"(\w+-\w+)":\[\{"name":"NAME"`)

// callTool is the answer of a model that does what it is told.
func callTool(prompt string) string {
	if strings.Contains(prompt, ` role="tool"`) {
		return "The tool has answered. (All of this is simulated.)"
	}
	_, wanted, _ := strings.Cut(prompt, "turn:call_tool ")
	name, behind, _ := strings.Cut(wanted, " ")
	var arguments json.RawMessage
	key := toolKey.FindStringSubmatch(prompt)
	if err := json.NewDecoder(strings.NewReader(behind)).Decode(&arguments); key == nil || err != nil {
		return "There is no tool to call. (This is simulated.)"
	}
	return fmt.Sprintf("I call it.\n{%q:[{\"name\":%q,\"arguments\":%s}]}", key[1], name, arguments)
}

func errorStep(text string) func(*writer, *turn) {
	return func(w *writer, _ *turn) {
		w.add(step{kind: stepError, err: text})
		w.end()
	}
}

// answer is an ordinary turn.
func (w *writer) answer(text string) {
	w.say(text, 10, 1)
	w.checkpoint()
}

// checkpoint ends an ordinary turn.
func (w *writer) checkpoint() {
	w.tool(pb.CortexStepType_CORTEX_STEP_TYPE_CHECKPOINT)
	w.end()
}

var turnWord = regexp.MustCompile(`\bturn:(\w+)`)

// wish is the name of the course that a prompt asks for, and empty if it does not.
func wish(prompt string) string {
	if found := turnWord.FindStringSubmatch(prompt); found != nil {
		return found[1]
	}
	return ""
}

// courseNamed is nil for a name that there is not.
func courseNamed(name string) *course {
	for i := range courses {
		if courses[i].name == name {
			return &courses[i]
		}
	}
	return nil
}

func courseNames() string {
	names := make([]string, len(courses))
	for i := range courses {
		names[i] = courses[i].name
	}
	return strings.Join(names, ", ")
}

// title is a cascade's, after its first prompt.
func title(prompt string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	return capped(strings.TrimSpace(first), 60)
}

// demonstration is an answer that nobody can take for a model's.
func (t *turn) demonstration() string {
	price := "nothing"
	if t.Cost.Amount != 0 {
		price = fmt.Sprintf("%g %s", t.Cost.Amount, map[account.Unit]string{
			account.Credits: "credits", account.ACUs: "ACUs", account.Quota: "% of the quota", account.Dollars: "USD of extra usage",
		}[t.Cost.Unit])
	}
	lines := "1 line"
	if n := strings.Count(t.Prompt, "\n") + 1; n > 1 {
		lines = fmt.Sprintf("%d lines", n)
	}
	return fmt.Sprintf(`**This answer is simulated.** No model was asked, and your prompt stayed on this
computer. What can be said of it without one:

- it has **%d characters** in %s,
- it was meant for the model %s,
- it costs the simulated account %s.

A model might have shown some code here:

%s

That is all there is to it.`,
		utf8.RuneCountInString(t.Prompt), lines, "`"+t.Model+"`", price,
		"```go\npackage main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"simulated\")\n}\n```")
}

//nolint:gosmopolitan // all the world writes Markdown
const markdown = "# A heading\n\nText with *emphasis*, **weight**, `code`, a [link](https://example.com/?a=1&b=2), and ~~more~~.\n\n" +
	"1. one\n2. two\n   - nested\n   - [x] done\n   - [ ] not done\n\n> A quotation\n> of two lines.\n\n" +
	"| column | number |\n|---|--:|\n| a | 1 |\n| b \\| c | 2 |\n\n" +
	"```go\nfunc answer() int { return 42 }\n```\n\n~~~\nfenced otherwise, with ``` inside\n~~~\n\n    indented code\n\n" +
	"<script>alert(1)</script> <img src=x onerror=alert(1)> <b>markup</b> &amp; [trap](javascript:alert(1))\n\n" +
	"![picture](https://example.com/picture.png)\n\n---\n\nUnicode: naïve, 日本語, 👩‍👩‍👧, عربي.\n"
