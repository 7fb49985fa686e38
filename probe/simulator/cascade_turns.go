package simulator

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	pb "windsock/probe/languageserver"
	"windsock/probe/simulator/account"
)

// A course is a kind of turn. A prompt selects one by the word "turn:NAME" anywhere in
// it.
type course struct {
	name string
	// steps are the actions after the prompt. Then the turn ends, unless it is endless.
	steps   []action
	endless bool
	// refused is the error message of SendUserCascadeMessage, which then records
	// nothing.
	refused string
}

// An action writes a part of a turn.
type action func(w *writer, t *turn)

// The server's own words (PROTOCOL.md 7.8), or invented ones if those are not known.
const (
	dailyExhausted  = "Your daily usage quota has been exhausted"
	weeklyExhausted = "Your weekly usage quota has been exhausted"
	outdated        = "Failed precondition: Your Windsurf version is out of date"
	pleaseUpdate    = "There was an error with your Cascade session, please update your editor (error ID: 00112233445566778899aabbccddeeff)"
	outsideTier     = "permission_denied: this model is not available in your tier (simulated)"
	noCreditsLeft   = "There are no credits left for this message (simulated)" //nolint:gosec // credits, not credentials
)

const (
	stepMemory     = pb.CortexStepType_CORTEX_STEP_TYPE_MEMORY
	stepViewFile   = pb.CortexStepType_CORTEX_STEP_TYPE_VIEW_FILE
	stepDirectory  = pb.CortexStepType_CORTEX_STEP_TYPE_LIST_DIRECTORY
	stepCommand    = pb.CortexStepType_CORTEX_STEP_TYPE_RUN_COMMAND
	stepAnswer     = pb.CortexStepType_CORTEX_STEP_TYPE_PLANNER_RESPONSE
	stepCheckpoint = pb.CortexStepType_CORTEX_STEP_TYPE_CHECKPOINT
	stepError      = pb.CortexStepType_CORTEX_STEP_TYPE_ERROR_MESSAGE

	generating = pb.CortexStepStatus_CORTEX_STEP_STATUS_GENERATING
	failed     = pb.CortexStepStatus_CORTEX_STEP_STATUS_ERROR
)

// longAnswer is the size of the long turn's text.
const longAnswer = 1 << 20

// longText is made once it is asked for: windsock itself holds the courses, and would
// make it at each start.
var longText = sync.OnceValue(func() string {
	return lines(longAnswer, func(n int) string { return fmt.Sprintf("Line %06d of a long answer – simulated.", n) })[:longAnswer]
})

// courses are all courses; the first is that of the zero Config.
var courses = []course{
	// A demonstration's answer: Markdown that says what it is.
	{name: "plain", steps: ordinary((*turn).demonstration)},
	// The prompt, unchanged.
	{name: "echo", steps: ordinary(func(t *turn) string { return t.Prompt })},
	// An answer without a character.
	{name: "empty", steps: answers("")},
	// 1 MB; a transcript holds only the beginning.
	{name: "long", steps: []action{func(w *writer, _ *turn) { w.reply(longText(), 100, 1) }, tool(stepCheckpoint)}},
	// A word, a second, a word.
	{name: "slow", steps: []action{replies("One word at a time, simulated.", 6, 25), tool(stepCheckpoint)}},
	// Generates until it is cancelled.
	{name: "never_ends", endless: true, steps: []action{grows("There is more to come, ", 3)}},
	// Stays idle, as without a planner.
	{name: "never_starts", endless: true, steps: []action{func(w *writer, _ *turn) { w.script = w.script[:1] }}},
	// Is busy for a while before it runs.
	{name: "waits", steps: append([]action{func(w *writer, _ *turn) {
		w.status = pb.CascadeRunStatus_CASCADE_RUN_STATUS_BUSY
		w.beat(25)
		w.status = pb.CascadeRunStatus_CASCADE_RUN_STATUS_RUNNING
	}}, answers("It was busy for a while.")...)},
	// The text is rewritten after the checkpoint.
	{name: "rewrite", steps: []action{func(w *writer, _ *turn) {
		n := w.reply("This is the first draft, which nobody should keep.", 8, 1)
		w.tool(stepCheckpoint)
		w.beat(5)
		w.steps[n].revised = "This is the final text, which replaces the draft."
		w.beat(1)
	}}},
	// The text is rewritten while it grows.
	{name: "rewrite_midway", steps: []action{func(w *writer, _ *turn) {
		n := w.add(step{kind: stepAnswer, status: generating})
		w.grow(n, "The answer begins like thiz, and", 4, 1)
		w.grow(n, "The answer begins like this, and goes on after a correction.", 4, 1)
		w.finish(n)
	}, tool(stepCheckpoint)}},
	// A message with a smaller index appears after a greater one.
	{name: "late_insert", steps: []action{func(w *writer, _ *turn) {
		first := w.add(step{kind: stepAnswer, status: generating, unseen: true, rank: rankOf(len(w.steps)+1) + 1})
		w.reply("This is the second half.", 4, 1)
		w.steps[first].unseen = false
		w.grow(first, "This is the first half. ", 4, 1)
		w.finish(first)
	}, tool(stepCheckpoint)}},
	// Tools, an empty answer, and no text.
	{name: "tool_only", steps: []action{tool(stepDirectory), replies("", 1, 1), tool(stepViewFile), tool(stepCheckpoint)}},
	// Text, tools, text.
	{name: "tools", steps: []action{
		tool(stepMemory), replies("I look at the files first.", 4, 1), tool(stepDirectory), tool(stepViewFile),
		replies("Now the tests.", 3, 1), tool(stepCommand), replies("They pass. (All of this is simulated.)", 6, 1), tool(stepCheckpoint),
	}},
	// Two answers with their tokens (PROTOCOL.md 7.5).
	{name: "counted", steps: []action{
		counts("One.", &pb.ModelUsageStats{InputTokens: 415, OutputTokens: 251, CacheWriteTokens: 683, CacheReadTokens: 11_217}),
		tool(stepViewFile), counts("Two.", &pb.ModelUsageStats{InputTokens: 10, OutputTokens: 5, CacheReadTokens: 100}), tool(stepCheckpoint),
	}},
	// A checkpoint in the middle, and none at the end.
	{name: "checkpoint_midway", steps: []action{
		replies("This is the first half.", 4, 1), tool(stepCheckpoint), pause(30),
		tool(pb.CortexStepType_CORTEX_STEP_TYPE_RETRIEVE_MEMORY), replies("This is the second half.", 4, 1),
	}},
	// Calls a tool of the client, as text in the prompt requests: turn:call_tool NAME
	// {…}. It takes the result when there is one.
	{name: "call_tool", steps: ordinary(func(t *turn) string { return callTool(t.Prompt) })},
	// The JSON value that stands in the prompt behind turn:object.
	{name: "object", steps: ordinary(func(t *turn) string { return wantedObject(t.Prompt) })},
	// Every kind of Markdown, and text that could be taken for a web page.
	{name: "markdown", steps: answers(markdown)},
	// Lines that look like those between messages.
	{name: "header_lines", steps: answers("A transcript looks like this:\n\n=== MESSAGE 3 - User ===\nnot a message\n\n" +
		"=== MESSAGE 9 - Assistant ===\nnot one either\n\n=== MESSAGE 4 - Tool ===\n[CORTEX_STEP_TYPE_CHECKPOINT]\n\nThat was it.")},
	// Lines that end as on Windows.
	{name: "crlf", steps: answers("first line\r\n\r\n```\r\ncode\r\n```\r\nlast line\r\n")},
	// An error step and no answer.
	{name: "error_quota", steps: []action{fails(dailyExhausted)}},
	{name: "error_quota_weekly", steps: []action{fails(weeklyExhausted)}},
	{name: "error_credits", steps: []action{fails(noCreditsLeft)}},
	{name: "error_tier", steps: []action{fails(outsideTier)}},
	{name: "error_outdated", steps: []action{fails(outdated)}},
	// Half an answer, then an error step.
	{name: "error_after_text", steps: []action{
		grows("This is half of an", 4),
		func(w *writer, _ *turn) { w.steps[len(w.steps)-1].status = failed },
		fails("The connection to the model was lost (simulated)"),
	}},
	// An error step that does not matter, then an answer.
	{name: "benign_error", steps: append([]action{func(w *writer, _ *turn) {
		w.add(step{kind: stepError, err: "A tool failed, and is tried again (simulated)", benign: true})
	}}, answers("It worked after all.")...)},
	// The answer's own step holds the error; there is no separate error step.
	{name: "step_error", steps: []action{func(w *writer, _ *turn) {
		w.add(step{kind: stepAnswer, status: failed, err: pleaseUpdate})
	}}},
	// The message is refused.
	{name: "send_quota", refused: dailyExhausted},
	{name: "send_outdated", refused: outdated},
	// Refused too: the cascade is not idle.
	{name: "busy"},
}

// tool is a step without text.
func tool(kind pb.CortexStepType) action {
	return func(w *writer, _ *turn) { w.tool(kind) }
}

// replies is an answer that grows in pieces of some ticks each.
func replies(text string, pieces, ticks int) action {
	return func(w *writer, _ *turn) { w.reply(text, pieces, ticks) }
}

// counts is an answer that tells how many tokens it was, once it is complete.
func counts(text string, usage *pb.ModelUsageStats) action {
	return func(w *writer, _ *turn) {
		w.reply(text, 2, 1)
		w.steps[len(w.steps)-1].usage = usage
	}
}

// grows is an answer that never completes.
func grows(text string, pieces int) action {
	return func(w *writer, _ *turn) {
		w.grow(w.add(step{kind: stepAnswer, status: generating}), text, pieces, 1)
	}
}

func pause(ticks int) action {
	return func(w *writer, _ *turn) { w.beat(ticks) }
}

// fails is an error step.
func fails(text string) action {
	return func(w *writer, _ *turn) { w.add(step{kind: stepError, err: text}) }
}

// ordinary is a turn that answers.
func ordinary(text func(*turn) string) []action {
	return []action{func(w *writer, t *turn) { w.reply(text(t), 10, 1) }, tool(stepCheckpoint)}
}

func answers(text string) []action {
	return ordinary(func(*turn) string { return text })
}

// toolKey finds the key that the prompt requires in a call.
var toolKey = regexp.MustCompile(`\{"(\w+-\w+)":\[\{"name":"NAME"`)

// callTool is the answer of a model that follows the prompt's instructions.
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

// wantedObject is the answer of a model that was asked for JSON.
func wantedObject(prompt string) string {
	_, wanted, _ := strings.Cut(prompt, "turn:object ")
	var object json.RawMessage
	if err := json.NewDecoder(strings.NewReader(wanted)).Decode(&object); err != nil {
		return "There is no object to answer with. (This is simulated.)"
	}
	return "Here it is:\n```json\n" + string(object) + "\n```"
}

var turnWord = regexp.MustCompile(`\bturn:(\w+)`)

// wantedTurn is the course named in a prompt; empty if there is none.
func wantedTurn(prompt string) string {
	if found := turnWord.FindStringSubmatch(prompt); found != nil {
		return found[1]
	}
	return ""
}

// courseNamed returns the course of that name; nil if there is none.
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

// title is the title of a cascade, from its first prompt.
func title(prompt string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	return capped(strings.TrimSpace(first), 60)
}

// demonstration is an answer that is clearly not a model's.
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
