// Package cascade speaks to the editor's Cascade: it sends a prompt and follows the
// answer, and archives the cascades that prompts leave behind.
//
// A prompt is one turn of a new cascade. The panel's state is set up once per server.
// StartCascade makes the cascade, SendUserCascadeMessage starts the turn and returns
// at once, and polling the steps shows the answer as it grows.
// ArchiveCascadeTrajectory then archives the cascade, however the turn ended.
// StartCascade and SendUserCascadeMessage are never repeated once a byte may have
// left: a prompt that is sent twice is paid for twice.
//
// Newer servers have Cascade switched off. Only a call shows it: it fails with
// ErrUnsupported.
//
// The facts of the protocol are in probe/languageserver/PROTOCOL.md, section 7;
// comments cite its sections.
package cascade

import (
	"context"
	"encoding/base64"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/probe"
	"windsock/probe/jsonpick"
	pb "windsock/probe/languageserver"
	"windsock/probe/terminal"
)

const (
	// readTimeout is for calls that the server answers by itself.
	readTimeout = 5 * time.Second
	// sendTimeout is for calls for which the server may ask the cloud.
	sendTimeout = 20 * time.Second
)

// What cascades started here report about themselves (PROTOCOL.md 7.2).
const (
	startSource = pb.CortexTrajectorySource_CORTEX_TRAJECTORY_SOURCE_CASCADE_CLIENT
	startType   = pb.CortexTrajectoryType_CORTEX_TRAJECTORY_TYPE_CASCADE
)

// Client speaks Cascade with the server of a Session. It may be used from
// several goroutines at once.
type Client struct {
	session *probe.Session

	mu    sync.Mutex // guards ready, held during the set-up of the panel
	ready probe.Server

	// noSteps says that the server has no call for steps from an index on.
	noSteps atomic.Bool
}

// NewClient returns a Client on a Session. The caller still closes the Session.
func NewClient(s *probe.Session) *Client { return &Client{session: s} }

// List returns every cascade that the server knows of, by cascade id
// (PROTOCOL.md 7.6).
func (c *Client) List(ctx context.Context) (map[string]*pb.CascadeTrajectorySummary, error) {
	all, err := c.list(ctx)
	return all, failureOf(err)
}

// Archive sets or clears the archived mark of a cascade (PROTOCOL.md 7.7). It may be
// repeated.
func (c *Client) Archive(ctx context.Context, cascadeID string, archived bool) error {
	_, err := probe.Call[pb.ArchiveCascadeTrajectoryRequest, pb.ArchiveCascadeTrajectoryResponse](
		ctx, c.session, probe.RPC{Procedure: pb.LanguageServerServiceArchiveCascadeTrajectoryProcedure, Timeout: readTimeout},
		func(*pb.Metadata) *pb.ArchiveCascadeTrajectoryRequest {
			return &pb.ArchiveCascadeTrajectoryRequest{CascadeId: cascadeID, IsArchived: archived}
		},
	)
	err = failureOf(err)
	if failure, ok := errors.AsType[*chat.Failure](err); ok && errors.Is(err, ErrUnsupported) {
		failure.Code = chat.NoArchive
	}
	return err
}

func (c *Client) server() probe.Server { return c.session.Server() }

func (c *Client) list(ctx context.Context) (map[string]*pb.CascadeTrajectorySummary, error) {
	rpc := probe.RPC{Procedure: pb.LanguageServerServiceGetAllCascadeTrajectoriesProcedure, Timeout: 2 * readTimeout}
	request := func(*pb.Metadata) *pb.GetAllCascadeTrajectoriesRequest { return &pb.GetAllCascadeTrajectoriesRequest{} }
	answer, err := probe.Call[pb.GetAllCascadeTrajectoriesRequest, probe.RawJSON](ctx, c.session, rpc, request)
	if err != nil {
		return nil, err
	}
	if all, ok := readListing(answer.Data); ok {
		return all, nil
	}
	response, err := probe.Call[pb.GetAllCascadeTrajectoriesRequest, pb.GetAllCascadeTrajectoriesResponse](ctx, c.session, rpc, request)
	return response.GetTrajectorySummaries(), err
}

// setUp initialises the panel's state once per server (PROTOCOL.md 7.1), and again if
// the server has forgotten it.
func (c *Client) setUp(ctx context.Context, again bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ready == c.session.Server() && !again {
		return nil
	}
	_, err := probe.Call[pb.InitializeCascadePanelStateRequest, pb.InitializeCascadePanelStateResponse](
		ctx, c.session, probe.RPC{Procedure: pb.LanguageServerServiceInitializeCascadePanelStateProcedure, Timeout: sendTimeout},
		func(m *pb.Metadata) *pb.InitializeCascadePanelStateRequest {
			return &pb.InitializeCascadePanelStateRequest{Metadata: m, WorkspaceTrusted: true}
		},
	)
	if err != nil {
		return failureOf(err)
	}
	c.ready = c.session.Server()
	return nil
}

// capacity asks whether the server would take a prompt for the model now. If the
// question itself fails, the prompt goes ahead (PROTOCOL.md 7.1).
func (c *Client) capacity(ctx context.Context, modelUID string) error {
	answer, err := probe.Call[pb.CheckUserMessageRateLimitRequest, probe.RawJSON](
		ctx, c.session, probe.RPC{Procedure: pb.LanguageServerServiceCheckUserMessageRateLimitProcedure, Timeout: readTimeout},
		func(m *pb.Metadata) *pb.CheckUserMessageRateLimitRequest {
			return &pb.CheckUserMessageRateLimitRequest{Metadata: m, ModelUid: modelUID}
		},
	)
	if err != nil {
		return ctx.Err()
	}
	limit := gjson.ParseBytes(answer.Data)
	wait := time.Duration(limit.Get("resetsInSeconds").Int()) * time.Second
	// The wire omits a false, and also every field that the server does not know. So a
	// missing field is a false only if another field is set.
	says := limit.Get("message").Exists() || wait > 0 || limit.Get("maxMessages").Exists() || limit.Get("messagesRemaining").Exists()
	if limit.Get("hasCapacity").Bool() || !says {
		return nil
	}
	return &chat.Failure{
		Code: chat.RateLimited, App: c.session.Server().App,
		Words: terminal.Short(limit.Get("message").String()), Wait: max(wait, 0),
	}
}

// start makes a new cascade for a prompt. It is never repeated once a byte may have
// left.
func (c *Client) start(ctx context.Context) (cascadeID string, _ error) {
	answer, err := probe.Call[pb.StartCascadeRequest, probe.RawJSON](
		ctx, c.session, probe.RPC{Procedure: pb.LanguageServerServiceStartCascadeProcedure, Timeout: sendTimeout, Once: true},
		func(m *pb.Metadata) *pb.StartCascadeRequest {
			return &pb.StartCascadeRequest{
				Metadata:       m,
				Source:         startSource,
				TrajectoryType: startType,
			}
		},
	)
	if err != nil {
		return "", failureOf(err)
	}
	if err := c.errorInside(answer.Data); err != nil {
		return "", err
	}
	id := gjson.GetBytes(answer.Data, "cascadeId").String()
	if id == "" {
		return "", &chat.Failure{Code: chat.TurnFailed, App: c.session.Server().App, Cause: errors.New("StartCascade gave no cascade")}
	}
	return id, nil
}

// send starts the turn. It is never repeated once a byte may have left.
func (c *Client) send(ctx context.Context, cascadeID string, prompt chat.Prompt) error {
	answer, err := probe.Call[pb.SendUserCascadeMessageRequest, probe.RawJSON](
		ctx, c.session, probe.RPC{Procedure: pb.LanguageServerServiceSendUserCascadeMessageProcedure, Timeout: sendTimeout, Once: true},
		func(m *pb.Metadata) *pb.SendUserCascadeMessageRequest {
			return &pb.SendUserCascadeMessageRequest{
				CascadeId: cascadeID,
				Items:     []*pb.TextOrScopeItem{{Chunk: &pb.TextOrScopeItem_Text{Text: prompt.Text}}},
				Metadata:  m,
				Images:    imageData(prompt.Images),
				CascadeConfig: &pb.CascadeConfig{PlannerConfig: &pb.CascadePlannerConfig{
					PlannerTypeConfig: &pb.CascadePlannerConfig_Conversational{Conversational: &pb.CascadeConversationalPlannerConfig{}},
					RequestedModelUid: prompt.Model,
				}},
			}
		},
	)
	if err != nil {
		failed := failureOf(err)
		if call, ok := errors.AsType[*probe.Failure](err); ok {
			if code, told := call.Refusal(); told && code == connect.CodePermissionDenied {
				return &chat.Failure{Code: chat.NotInPlan, App: call.Server().App, Words: terminal.Short(call.Words()), Cause: err}
			}
		}
		return failed
	}
	return c.errorInside(answer.Data)
}

// imageData is a prompt's images as they are sent (PROTOCOL.md 7.12).
func imageData(images []chat.Image) []*pb.ImageData {
	list := make([]*pb.ImageData, len(images))
	for i, image := range images {
		list[i] = &pb.ImageData{Base64Data: base64.StdEncoding.EncodeToString(image.Data), MimeType: image.Kind}
	}
	return list
}

// transcript returns the whole transcript: with another offset the numbering would
// change (PROTOCOL.md 7.3).
func (c *Client) transcript(ctx context.Context, cascadeID string) (string, error) {
	answer, err := probe.Call[pb.GetCascadeTranscriptForTrajectoryIdRequest, probe.RawJSON](
		ctx, c.session, probe.RPC{Procedure: pb.LanguageServerServiceGetCascadeTranscriptForTrajectoryIdProcedure, Timeout: readTimeout},
		func(*pb.Metadata) *pb.GetCascadeTranscriptForTrajectoryIdRequest {
			return &pb.GetCascadeTranscriptForTrajectoryIdRequest{CascadeId: cascadeID}
		},
	)
	if err != nil {
		return "", failureOf(err)
	}
	text := gjson.GetBytes(answer.Data, "transcript").String()
	if text != "" {
		return text, nil // another search would take as long again
	}
	return "", c.errorInside(answer.Data)
}

// trajectory returns the run status and all steps (PROTOCOL.md 7.4).
func (c *Client) trajectory(ctx context.Context, cascadeID string) (trajectory, error) {
	answer, err := c.callTrajectory(ctx, cascadeID, turnFields, readTimeout)
	if err != nil {
		return trajectory{}, failureOf(err)
	}
	all := gjson.ParseBytes(answer)
	return trajectory{readStatus(all.Get("status")), readSteps(all.Get("trajectory.steps"))}, c.errorInside(answer)
}

// steps returns the steps from an index on (PROTOCOL.md 7.4).
func (c *Client) steps(ctx context.Context, cascadeID string, from int) ([]trajectoryStep, error) {
	answer, err := c.callSteps(ctx, cascadeID, from, turnFields, readTimeout)
	if err != nil {
		return nil, failureOf(err)
	}
	if steps := gjson.GetBytes(answer, "steps"); steps.Exists() {
		return readSteps(steps), nil // another search would take as long again
	}
	return nil, c.errorInside(answer)
}

// callTrajectory calls GetCascadeTrajectory. of are the members of a step.
func (c *Client) callTrajectory(ctx context.Context, cascadeID string, of jsonpick.Fields, timeout time.Duration) ([]byte, error) {
	answer, err := probe.Call[pb.GetCascadeTrajectoryRequest, probe.RawJSON](
		ctx, c.session, probe.RPC{
			Procedure: pb.LanguageServerServiceGetCascadeTrajectoryProcedure, Timeout: timeout,
			Pick: jsonpick.Fields{"trajectory": {"steps": of}, "status": nil, "deltaMessage": nil},
		},
		func(*pb.Metadata) *pb.GetCascadeTrajectoryRequest {
			return &pb.GetCascadeTrajectoryRequest{CascadeId: cascadeID}
		},
	)
	if err != nil {
		return nil, err
	}
	return answer.Data, nil
}

// callSteps calls GetCascadeTrajectorySteps. of are the members of a step.
func (c *Client) callSteps(ctx context.Context, cascadeID string, from int, of jsonpick.Fields, timeout time.Duration) ([]byte, error) {
	answer, err := probe.Call[pb.GetCascadeTrajectoryStepsRequest, probe.RawJSON](
		ctx, c.session, probe.RPC{
			Procedure: pb.LanguageServerServiceGetCascadeTrajectoryStepsProcedure, Timeout: timeout,
			Pick: jsonpick.Fields{"steps": of, "deltaMessage": nil},
		},
		func(*pb.Metadata) *pb.GetCascadeTrajectoryStepsRequest {
			return &pb.GetCascadeTrajectoryStepsRequest{CascadeId: cascadeID, StepOffset: uint32(from)} //nolint:gosec // far fewer
		},
	)
	if err != nil {
		return nil, err
	}
	return answer.Data, nil
}

// cancel ends a running turn (PROTOCOL.md 7.7).
func (c *Client) cancel(ctx context.Context, cascadeID string) error {
	_, err := probe.Call[pb.CancelCascadeInvocationRequest, pb.CancelCascadeInvocationResponse](
		ctx, c.session, probe.RPC{Procedure: pb.LanguageServerServiceCancelCascadeInvocationProcedure, Timeout: readTimeout},
		func(*pb.Metadata) *pb.CancelCascadeInvocationRequest {
			return &pb.CancelCascadeInvocationRequest{CascadeId: cascadeID}
		},
	)
	return failureOf(err)
}
