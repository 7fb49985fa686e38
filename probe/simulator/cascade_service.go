package simulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"connectrpc.com/connect"

	pb "windsock/probe/languageserver"
	"windsock/probe/simulator/account"
)

// The error codes are known for only a few Cascade methods. The others return plain
// errors of a handler, which reach the client as code unknown, so that clients do not
// come to rely on more (PROTOCOL.md 7.8).

// signedIn is the error for a missing or refused key.
func (s service) signedIn(metadata *pb.Metadata) error {
	switch key := metadata.GetApiKey(); {
	case key == "":
		return connect.NewError(connect.CodeUnauthenticated, errors.New("an api key is needed"))
	case slices.Contains(s.server.cfg.RefusedKeys, key):
		return connect.NewError(connect.CodeUnauthenticated, errors.New("the api key was refused"))
	}
	return nil
}

func notFound(text string) error {
	return connect.NewError(connect.CodeNotFound, errors.New(text))
}

func precondition(text string) error {
	return connect.NewError(connect.CodeFailedPrecondition, errors.New(text))
}

func unimplemented(method string) error {
	return connect.NewError(connect.CodeUnimplemented, fmt.Errorf("%s is not implemented", method))
}

// InitializeCascadePanelState sets the panel up (PROTOCOL.md 7.1).
func (s service) InitializeCascadePanelState(_ context.Context, req *connect.Request[pb.InitializeCascadePanelStateRequest]) (*connect.Response[pb.InitializeCascadePanelStateResponse], error) {
	if err := s.signedIn(req.Msg.GetMetadata()); err != nil {
		return nil, err
	}
	c := s.server.cascades
	c.mu.Lock()
	defer c.mu.Unlock()
	c.panel = true
	c.trusted = c.trusted || req.Msg.GetWorkspaceTrusted()
	return connect.NewResponse(&pb.InitializeCascadePanelStateResponse{}), nil
}

// CheckUserMessageRateLimit reports whether there is capacity (PROTOCOL.md 7.1).
func (s service) CheckUserMessageRateLimit(_ context.Context, req *connect.Request[pb.CheckUserMessageRateLimitRequest]) (*connect.Response[pb.CheckUserMessageRateLimitResponse], error) {
	if err := s.signedIn(req.Msg.GetMetadata()); err != nil {
		return nil, err
	}
	cfg := s.server.cfg.Cascade
	switch cfg.RateLimit {
	case RateLimitReached:
		return connect.NewResponse(&pb.CheckUserMessageRateLimitResponse{
			Message:     "Too many messages for this model (simulated)",
			MaxMessages: 25, ResetsInSeconds: 90,
		}), nil
	case RateLimitError:
		return nil, errors.New("rate limits are not to be had (simulated)")
	case RateLimitNone:
	}
	return connect.NewResponse(&pb.CheckUserMessageRateLimitResponse{HasCapacity: true, MessagesRemaining: -1, MaxMessages: -1}), nil
}

// StartCascade makes a cascade (PROTOCOL.md 7.2).
func (s service) StartCascade(_ context.Context, req *connect.Request[pb.StartCascadeRequest]) (*connect.Response[pb.StartCascadeResponse], error) {
	if err := s.allowed(req.Msg.GetMetadata()); err != nil {
		return nil, err
	}
	id, err := s.server.cascades.start()
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&pb.StartCascadeResponse{CascadeId: id}), nil
}

// allowed is the error for an account without Cascade or without a key.
func (s service) allowed(metadata *pb.Metadata) error {
	if err := s.signedIn(metadata); err != nil {
		return err
	}
	if s.server.cfg.Cascade.Retired == RetiredRefused {
		return precondition("Cascade is not available for this account (simulated)")
	}
	return nil
}

// SendUserCascadeMessage begins a turn and returns, or on request waits for its end
// (PROTOCOL.md 7.2).
func (s service) SendUserCascadeMessage(ctx context.Context, req *connect.Request[pb.SendUserCascadeMessageRequest]) (*connect.Response[pb.SendUserCascadeMessageResponse], error) {
	if err := s.allowed(req.Msg.GetMetadata()); err != nil {
		return nil, err
	}
	c := s.server.cascades
	c.mu.Lock()
	panel, trusted := c.panel, c.trusted || s.server.cfg.Release.archives()
	c.mu.Unlock()
	switch {
	case !panel:
		return nil, errors.New("panel state not found")
	case !trusted:
		return nil, errors.New("untrusted workspace")
	}
	model, err := wantedModel(req.Msg.GetCascadeConfig().GetPlannerConfig())
	if err != nil {
		return nil, err
	}
	prompt := text(req.Msg)
	if prompt == "" {
		return nil, connect.NewError(connect.CodeInvalidArgument, errors.New("a message needs items (simulated)"))
	}
	plan := s.server.plan()
	paid := account.Price(plan, model.GetCreditMultiplier())
	name := cmp.Or(wantedTurn(prompt), account.Unpaid(plan, paid), s.server.cfg.Cascade.Turn)
	if s.server.cfg.Release == Release2 && req.Msg.GetCascadeConfig().GetPlannerConfig().GetPlannerTypeConfig() == nil {
		name = "never_starts"
	}
	switch kind := courseNamed(name); {
	case kind == nil:
		return nil, connect.NewError(connect.CodeInvalidArgument, fmt.Errorf("there is no turn %q to simulate; there are %s", name, courseNames()))
	case kind.refused != "":
		return nil, precondition(kind.refused)
	}
	t, err := c.send(req.Msg.GetCascadeId(), prompt, name, uid(model), paid)
	if err != nil {
		return nil, err
	}
	if req.Msg.GetBlocking() {
		wait(ctx, t.script.end())
	}
	return connect.NewResponse(&pb.SendUserCascadeMessageResponse{}), nil
}

// text is the text of a message.
func text(m *pb.SendUserCascadeMessageRequest) string {
	var all strings.Builder
	for _, item := range m.GetItems() {
		all.WriteString(item.GetText())
	}
	return all.String()
}

// wantedModel is the model that a message asks for.
func wantedModel(p *pb.CascadePlannerConfig) (*pb.ClientModelConfig, error) {
	wanted := p.GetRequestedModelUid()
	if wanted == "" {
		wanted = p.GetPlanModelUid()
	}
	if wanted == "" {
		return nil, errors.New("neither PlanModel nor RequestedModel specified")
	}
	for _, m := range account.Models().GetClientModelConfigs() {
		switch {
		case uid(m) != wanted:
		case m.GetDisabled():
			return nil, connect.NewError(connect.CodePermissionDenied, fmt.Errorf("model %s is not available in your tier (simulated)", wanted))
		default:
			return m, nil
		}
	}
	return nil, fmt.Errorf("unknown model %q (simulated)", wanted)
}

// uid is the identifier for requesting a model (PROTOCOL.md 7.9).
func uid(m *pb.ClientModelConfig) string {
	if m.GetModelUid() != "" {
		return m.GetModelUid()
	}
	if named := m.GetModelOrAlias().GetModelUid(); named != "" {
		return named
	}
	return m.GetModelOrAlias().GetModel().String()
}

// CancelCascadeInvocation ends a turn (PROTOCOL.md 7.7).
func (s service) CancelCascadeInvocation(_ context.Context, req *connect.Request[pb.CancelCascadeInvocationRequest]) (*connect.Response[pb.CancelCascadeInvocationResponse], error) {
	if err := s.server.cascades.cancel(req.Msg.GetCascadeId()); err != nil {
		return nil, err
	}
	return connect.NewResponse(&pb.CancelCascadeInvocationResponse{}), nil
}

// ArchiveCascadeTrajectory sets or clears the archived mark (PROTOCOL.md 7.7).
func (s service) ArchiveCascadeTrajectory(_ context.Context, req *connect.Request[pb.ArchiveCascadeTrajectoryRequest]) (*connect.Response[pb.ArchiveCascadeTrajectoryResponse], error) {
	if err := s.server.cascades.archive(req.Msg.GetCascadeId(), req.Msg.GetIsArchived()); err != nil {
		return nil, err
	}
	return connect.NewResponse(&pb.ArchiveCascadeTrajectoryResponse{}), nil
}

// plan is the account's present plan; empty if no user is signed in.
func (s *Server) plan() *pb.PlanStatus {
	tells, _ := s.current()
	return planOf(tells.windsurf.Answer(s.clock(), s.cfg.Account))
}

// planOf is the plan of an answer, with its information from wherever it stands.
func planOf(answer *pb.GetUserStatusResponse) *pb.PlanStatus {
	plan := answer.GetUserStatus().GetPlanStatus()
	if plan == nil {
		plan = &pb.PlanStatus{}
	}
	if plan.GetPlanInfo() == nil {
		plan.PlanInfo = answer.GetPlanInfo()
	}
	return plan
}
