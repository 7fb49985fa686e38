package e2e

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"windsock/probe/languageserver"
)

// plantedCascades are answers about a cascade with the secrets in all its texts, and in
// fields that no version knows. An empty title is planted, too; a cascade that cannot be
// read is named by its title.
func plantedCascades(t *testing.T, title string) map[string]talkative {
	t.Helper()
	at := timestamppb.New(time.Now().Add(-time.Hour))
	summary := &languageserver.CascadeTrajectorySummary{}
	plantTexts(summary.ProtoReflect(), 0)
	summary.Status = languageserver.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE
	summary.StepCount, summary.CreatedTime, summary.LastModifiedTime = 2, at, at
	if title != "" {
		summary.Summary, summary.RenamedTitle = title, nil
	}
	var steps []any
	for _, kind := range []languageserver.CortexStepType{
		languageserver.CortexStepType_CORTEX_STEP_TYPE_USER_INPUT, languageserver.CortexStepType_CORTEX_STEP_TYPE_PLANNER_RESPONSE,
	} {
		step := &languageserver.CortexTrajectoryStep{}
		plantTexts(step.ProtoReflect(), 0)
		step.Type, step.Status = kind, languageserver.CortexStepStatus_CORTEX_STEP_STATUS_DONE
		step.Metadata.CreatedAt, step.Metadata.PromptCreditsUsed = at, 137
		steps = append(steps, withUnknown(t, step))
	}
	body := func(v any) talkative {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return talkative{Body: string(text)}
	}
	return map[string]talkative{
		"GetAllCascadeTrajectories": body(map[string]any{
			"trajectorySummaries": map[string]any{"11111111-2222-4333-8444-555555555555": withUnknown(t, summary)},
		}),
		"GetCascadeTrajectorySteps": body(map[string]any{"steps": steps, "note": plantedText}),
	}
}

// withUnknown is a message with fields that no version knows.
func withUnknown(t *testing.T, m proto.Message) map[string]any {
	t.Helper()
	text, err := protojson.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	plantUnknown(object)
	return object
}

// plantedSpending are a server's answers of which one is another one.
func plantedSpending(t *testing.T, method string, answer talkative) map[string]talkative {
	t.Helper()
	answers := withStatus(talkative{Body: plantedStatus(t, nil)})
	maps.Copy(answers, plantedCascades(t, "A title"))
	answers[method] = answer
	return answers
}
