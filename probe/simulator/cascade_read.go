package simulator

import (
	"context"
	"errors"
	"slices"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "windsock/probe/languageserver"
	"windsock/probe/simulator/account"
)

// GetCascadeTranscriptForTrajectoryId is the conversation as text (PROTOCOL.md
// 7.3).
//
//nolint:revive // the name is the protocol's
func (s service) GetCascadeTranscriptForTrajectoryId(_ context.Context, req *connect.Request[pb.GetCascadeTranscriptForTrajectoryIdRequest]) (*connect.Response[pb.GetCascadeTranscriptForTrajectoryIdResponse], error) {
	c := s.server.cascades
	c.mu.Lock()
	defer c.mu.Unlock()
	one, ok := c.all[req.Msg.GetCascadeId()]
	if !ok {
		return nil, notFound("trajectory not found")
	}
	steps, _ := one.steps(c.now())
	return connect.NewResponse(&pb.GetCascadeTranscriptForTrajectoryIdResponse{
		Transcript:    transcript(steps, int(req.Msg.GetStepOffset())),
		NumTotalSteps: uint32(len(steps)), //nolint:gosec // a few
	}), nil
}

// GetCascadeTrajectory returns the conversation with all its steps and its status
// (PROTOCOL.md 7.4).
func (s service) GetCascadeTrajectory(_ context.Context, req *connect.Request[pb.GetCascadeTrajectoryRequest]) (*connect.Response[pb.GetCascadeTrajectoryResponse], error) {
	c := s.server.cascades
	c.mu.Lock()
	defer c.mu.Unlock()
	one, err := c.find(req.Msg.GetCascadeId())
	if err != nil {
		return nil, err
	}
	steps := c.messages(one, 0)
	return connect.NewResponse(&pb.GetCascadeTrajectoryResponse{
		Trajectory:    &pb.CortexTrajectory{TrajectoryId: one.Trajectory, CascadeId: one.ID, Steps: steps},
		Status:        one.status(c.now()),
		NumTotalSteps: uint32(len(steps)), //nolint:gosec // a few
	}), nil
}

// GetCascadeTrajectorySteps returns the steps from an offset on (PROTOCOL.md 7.4).
func (s service) GetCascadeTrajectorySteps(_ context.Context, req *connect.Request[pb.GetCascadeTrajectoryStepsRequest]) (*connect.Response[pb.GetCascadeTrajectoryStepsResponse], error) {
	c := s.server.cascades
	c.mu.Lock()
	defer c.mu.Unlock()
	one, err := c.find(req.Msg.GetCascadeId())
	if err == nil && one.broken {
		err = errors.New("trajectory cannot be read (simulated)")
	}
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&pb.GetCascadeTrajectoryStepsResponse{Steps: c.messages(one, int(req.Msg.GetStepOffset()))}), nil
}

// GetAllCascadeTrajectories lists every cascade of the server (PROTOCOL.md 7.6).
func (s service) GetAllCascadeTrajectories(context.Context, *connect.Request[pb.GetAllCascadeTrajectoriesRequest]) (*connect.Response[pb.GetAllCascadeTrajectoriesResponse], error) {
	c := s.server.cascades
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[string]*pb.CascadeTrajectorySummary, len(c.all))
	now := c.now()
	for id, one := range c.all {
		if one.Created.After(now) {
			continue
		}
		all[id] = one.summary(now)
		if !s.server.cfg.Release.archives() {
			all[id].IsArchived = false // the release lacks this field
		}
	}
	return connect.NewResponse(&pb.GetAllCascadeTrajectoriesResponse{TrajectorySummaries: all}), nil
}

// summary is the list entry of a cascade. Its time is that of the last change; setting
// the archived mark does not count.
func (c *cascade) summary(now time.Time) *pb.CascadeTrajectorySummary {
	s := &pb.CascadeTrajectorySummary{
		Summary:          c.Title,
		StepCount:        uint32(c.count(now)), //nolint:gosec // a few
		LastModifiedTime: timestamppb.New(c.modified(now)),
		TrajectoryId:     c.Trajectory,
		Status:           c.status(now),
		CreatedTime:      timestamppb.New(c.Created),
		IsArchived:       c.Archived,
		Hidden:           c.Hidden,
		TrajectoryType:   pb.CortexTrajectoryType_CORTEX_TRAJECTORY_TYPE_CASCADE,
		TrajectorySource: pb.CortexTrajectorySource_CORTEX_TRAJECTORY_SOURCE_CASCADE_CLIENT,
	}
	if c.Renamed != "" {
		s.RenamedTitle = new(c.Renamed)
	}
	if c.Workspace != "" {
		s.Workspaces = []*pb.CortexWorkspaceMetadata{{
			WorkspaceFolderAbsoluteUri: c.Workspace, GitRootAbsoluteUri: c.Workspace, BranchName: "main",
		}}
	}
	for _, t := range c.Turns {
		if !t.there(now) {
			continue
		}
		s.LastUserInputTime = timestamppb.New(t.Date)
		s.LastGeneratorModelUid = new(t.Model)
		s.Errored = s.GetErrored() || t.Past == nil && slices.ContainsFunc(t.now().steps, func(s step) bool { return s.err != "" && !s.benign })
	}
	return s
}

// count is how many steps a cascade has.
func (c *cascade) count(now time.Time) (n int) {
	for _, t := range c.Turns {
		if t.Past == nil {
			n += len(t.now().steps)
		} else {
			n += t.length(now)
		}
	}
	return n
}

// modified is when a cascade was changed last.
func (c *cascade) modified(now time.Time) time.Time {
	if !c.Modified.After(now) {
		return c.Modified
	}
	last := c.Created
	for _, t := range c.Turns {
		if t.Past == nil {
			continue
		}
		changes := []time.Time{t.Past.Reverted}
		for i := range t.length(now) {
			changes = append(changes, t.stepAt(i), t.ends(i))
		}
		for _, at := range changes {
			if at.After(last) && !at.After(now) {
				last = at
			}
		}
	}
	return last
}

// messages are the steps of a cascade from an offset on.
func (c *cascades) messages(one *cascade, offset int) []*pb.CortexTrajectoryStep {
	steps, from := one.steps(c.now())
	offset = min(offset, len(steps))
	all := make([]*pb.CortexTrajectoryStep, 0, len(steps)-offset)
	for i := offset; i < len(steps); i++ {
		m := one.message(steps[i], from[i])
		c.release.tells(m.GetMetadata())
		all = append(all, m)
	}
	return all
}

func (c *cascade) message(s step, t *turn) *pb.CortexTrajectoryStep {
	if s.metadata != nil {
		return c.pastMessage(s, t)
	}
	m := &pb.CortexTrajectoryStep{Type: s.kind, Status: s.status, Metadata: &pb.CortexStepMetadata{
		CreatedAt: timestamppb.New(t.Date), Source: pb.CortexStepSource_CORTEX_STEP_SOURCE_MODEL,
	}}
	if s.status == pb.CortexStepStatus_CORTEX_STEP_STATUS_DONE {
		m.Metadata.CompletedAt = timestamppb.New(t.Date)
	}
	details := &pb.CortexErrorDetails{UserErrorMessage: s.err, ShortError: s.err, FullError: s.err, IsBenign: s.benign}
	switch s.kind {
	case pb.CortexStepType_CORTEX_STEP_TYPE_USER_INPUT:
		m.Metadata.Source = pb.CortexStepSource_CORTEX_STEP_SOURCE_USER_EXPLICIT
		m.Metadata.RequestedModelUid = t.Model
		m.Step = &pb.CortexTrajectoryStep_UserInput{UserInput: &pb.CortexStepUserInput{
			UserResponse: s.text,
			Items:        []*pb.TextOrScopeItem{{Chunk: &pb.TextOrScopeItem_Text{Text: s.text}}},
		}}
	case pb.CortexStepType_CORTEX_STEP_TYPE_PLANNER_RESPONSE:
		m.Metadata.GeneratorModelUid, m.Metadata.RequestedModelUid = t.Model, t.Model
		m.Metadata.ModelUsage = s.usage
		m.Step = &pb.CortexTrajectoryStep_PlannerResponse{PlannerResponse: &pb.CortexStepPlannerResponse{
			Response: s.text, ModifiedResponse: s.revised,
		}}
		if s.err != "" {
			m.Error = details
		}
	case pb.CortexStepType_CORTEX_STEP_TYPE_ERROR_MESSAGE:
		m.Metadata.Source = pb.CortexStepSource_CORTEX_STEP_SOURCE_SYSTEM
		m.Step = &pb.CortexTrajectoryStep_ErrorMessage{ErrorMessage: &pb.CortexStepErrorMessage{
			Error: details, ShouldShowUser: !s.benign,
		}}
	case pb.CortexStepType_CORTEX_STEP_TYPE_CHECKPOINT:
		m.Metadata.Source = pb.CortexStepSource_CORTEX_STEP_SOURCE_SYSTEM
		m.Step = &pb.CortexTrajectoryStep_Checkpoint{Checkpoint: &pb.CortexStepCheckpoint{ConversationTitle: c.Title}}
	default:
	}
	if s.charged {
		tellCost(t.Cost, m.GetMetadata())
	}
	return m
}

// pastMessage is a step of a past turn. A tool's step has no content here.
func (c *cascade) pastMessage(s step, t *turn) *pb.CortexTrajectoryStep {
	m := &pb.CortexTrajectoryStep{Type: s.kind, Status: s.status, Metadata: s.metadata}
	text := s.text
	if s.status != pb.CortexStepStatus_CORTEX_STEP_STATUS_CLEARED {
		text += t.Past.filler()
	}
	switch s.kind {
	case pb.CortexStepType_CORTEX_STEP_TYPE_USER_INPUT:
		m.Step = &pb.CortexTrajectoryStep_UserInput{UserInput: &pb.CortexStepUserInput{UserResponse: text}}
	case stepAnswer:
		m.Step = &pb.CortexTrajectoryStep_PlannerResponse{PlannerResponse: &pb.CortexStepPlannerResponse{Response: text}}
	default:
	}
	return m
}

// tellCost stores a cost in a step's metadata (PROTOCOL.md 7.5).
func tellCost(c account.Cost, m *pb.CortexStepMetadata) {
	switch c.Unit {
	case account.Credits:
		m.PromptCreditsUsed = int32(c.Hundredths()) //nolint:gosec // a turn's
	case account.ACUs:
		m.AcuCost = c.Amount
	case account.Quota:
		m.QuotaCostBasisPoints = new(c.Hundredths())
	case account.Dollars:
		m.QuotaCostBasisPoints, m.OverageCostCents = new(int64(0)), new(c.Hundredths())
	}
}
