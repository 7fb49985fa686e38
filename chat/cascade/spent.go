package cascade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/chat/models"
	"windsock/probe"
	"windsock/probe/jsonpick"
	pb "windsock/probe/languageserver"
)

// spentTimeout is for an answer with all steps of a long cascade.
const spentTimeout = 30 * time.Second

// Listed is a cascade in a server's listing.
type Listed struct {
	ID string
	// Title and Workspace, the URI of its first folder, may be "".
	Title, Workspace string
	// Created and Modified are zero where they are not told.
	Created, Modified time.Time
	Steps             int
	// Runs says that a turn is under way, or that prompts wait.
	Runs bool
}

// Spent is what a step cost, without its content (PROTOCOL.md 7.5).
type Spent struct {
	// Index is its place in the cascade.
	Index int
	// Created, and At, when the step was used, are zero where they are not told.
	Created, At time.Time
	// Request is the id of the request to a model that made it; it may be "".
	Request string
	// Prompt says that it is a person's message, Answer that a model made it.
	Prompt, Answer bool
	// Open says that it may still change.
	Open bool
	// Model is the UID of the model that made it, or that a prompt asks for; "" is unknown.
	Model string
	Cost  chat.Cost
	// Input, Output and Cached, a part of Input, are numbers of tokens; nil is unknown.
	Input, Output, Cached *int64
}

// Listed returns every cascade that the server knows of, archived and hidden ones, too.
// The error is a *chat.Failure with the code NoSpend where the server has no such call,
// else one of package probe.
func (c *Client) Listed(ctx context.Context) ([]Listed, error) {
	summaries, err := c.list(ctx)
	if err != nil {
		return nil, untold(err)
	}
	all := make([]Listed, 0, len(summaries))
	for id, s := range summaries {
		l := Listed{ID: id, Title: Title(s), Modified: Modified(s), Steps: int(s.GetStepCount()), Runs: Runs(s)}
		if created := s.GetCreatedTime(); created.IsValid() && isTime(created.AsTime()) {
			l.Created = created.AsTime()
		}
		for _, w := range s.GetWorkspaces() {
			if l.Workspace = cmp.Or(w.GetWorkspaceFolderAbsoluteUri(), w.GetGitRootAbsoluteUri()); l.Workspace != "" {
				break
			}
		}
		all = append(all, l)
	}
	return all, nil
}

// Spent returns what the steps of a cascade cost, from an index on. Their content is
// dropped as it arrives. An older server tells all steps or none (PROTOCOL.md 7.4). The
// error is as that of Listed.
func (c *Client) Spent(ctx context.Context, cascadeID string, from int) ([]Spent, error) {
	if !c.noSteps.Load() {
		answer, err := c.callSteps(ctx, cascadeID, from, spentFields, spentTimeout)
		if call, ok := errors.AsType[*probe.Failure](err); !ok || !call.Unsupported() {
			return readSpent(gjson.GetBytes(answer, "steps"), from), untold(cmp.Or(err, c.errorInside(answer)))
		}
		c.noSteps.Store(true)
	}
	answer, err := c.callTrajectory(ctx, cascadeID, spentFields, spentTimeout)
	all := readSpent(gjson.GetBytes(answer, "trajectory.steps"), 0)
	return all[min(from, len(all)):], untold(cmp.Or(err, c.errorInside(answer)))
}

// errRefused is an error inside an answer that reports success (PROTOCOL.md 7.11).
var errRefused = errors.New("the server answered with an error")

// untold is the error of a call, which tells nothing of what the server wrote.
func untold(err error) error {
	if _, inside := errors.AsType[*chat.Failure](err); inside {
		return errRefused
	}
	if call, ok := errors.AsType[*probe.Failure](err); ok && call.Unsupported() {
		return &chat.Failure{Code: chat.NoSpend, App: call.Server().App, Cause: fmt.Errorf("%w: %w", ErrUnsupported, err)}
	}
	return err
}

// spentFields are the members of a step that tell what it cost.
var spentFields = jsonpick.Fields{"type": nil, "status": nil, "metadata": metadataFields}

// metadataFields are the members of a step's metadata that are read. The others may have
// the arguments of a tool.
var metadataFields = jsonpick.Fields{
	"createdAt": nil, "completedAt": nil, "usageTimestamp": nil,
	"requestId": nil, "generatorModelUid": nil, "requestedModelUid": nil,
	"promptCreditsUsed": nil, "acuCost": nil, "quotaCostBasisPoints": nil, "overageCostCents": nil,
	"modelUsage":  {"inputTokens": nil, "outputTokens": nil, "cacheWriteTokens": nil, "cacheReadTokens": nil, "modelUid": nil},
	"inputTokens": nil, "cacheReadTokens": nil,
}

// openStatuses are those of steps that are not final. One that is not known is final:
// nothing is read while the cascade runs.
var openStatuses = map[string]bool{
	pb.CortexStepStatus_CORTEX_STEP_STATUS_PENDING.String():    true,
	pb.CortexStepStatus_CORTEX_STEP_STATUS_RUNNING.String():    true,
	pb.CortexStepStatus_CORTEX_STEP_STATUS_GENERATING.String(): true,
	pb.CortexStepStatus_CORTEX_STEP_STATUS_WAITING.String():    true,
}

// readSpent reads steps of which the first has that index. A field of an unexpected type
// counts as missing. The steps share no memory with the answer.
func readSpent(from gjson.Result, index int) (all []Spent) {
	if !from.IsArray() {
		return nil
	}
	from.ForEach(func(_, step gjson.Result) bool {
		all = append(all, readSpentStep(step, index+len(all)))
		return true
	})
	return all
}

func readSpentStep(step gjson.Result, index int) Spent {
	kind, metadata := step.Get("type").Str, step.Get("metadata")
	generator, requested := models.UID(metadata.Get("generatorModelUid")), models.UID(metadata.Get("requestedModelUid"))
	s := Spent{
		Index: index, Created: stepTime(metadata.Get("createdAt")), Request: strings.Clone(metadata.Get("requestId").Str),
		Prompt: kind == pb.CortexStepType_CORTEX_STEP_TYPE_USER_INPUT.String(),
		Open:   openStatuses[step.Get("status").Str], Cost: readCost(metadata),
	}
	s.Answer = kind == pb.CortexStepType_CORTEX_STEP_TYPE_PLANNER_RESPONSE.String() || generator != "" && !s.Prompt
	if s.At = stepTime(metadata.Get("usageTimestamp")); s.At.IsZero() {
		s.At = stepTime(metadata.Get("completedAt"))
	}
	if s.Model = requested; !s.Prompt {
		s.Model = cmp.Or(generator, models.UID(metadata.Get("modelUsage.modelUid")), requested)
	}
	s.Input, s.Output, s.Cached = readTokens(metadata)
	return s
}

// readTokens reads how many tokens a step was. Where modelUsage tells nothing, the
// metadata may.
func readTokens(metadata gjson.Result) (input, output, cached *int64) {
	if t := readCounts(metadata.Get("modelUsage")); t.Input > 0 || t.Output > 0 {
		return &t.Input, &t.Output, t.Cached
	}
	if n, told := readCount(metadata.Get("cacheReadTokens")); told {
		cached = &n
	}
	if n, told := readCount(metadata.Get("inputTokens")); told {
		if cached != nil {
			n += *cached
		}
		input = &n
	}
	return input, nil, cached
}

// stepTime is zero if it is not told, or impossible.
func stepTime(v gjson.Result) time.Time {
	t, err := time.Parse(time.RFC3339Nano, v.Str)
	if err != nil || !isTime(t) {
		return time.Time{}
	}
	return t.UTC()
}
