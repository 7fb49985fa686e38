package simulator

import (
	"context"
	"errors"
	"maps"

	"connectrpc.com/connect"

	pb "windsock/probe/languageserver"
)

// service answers the RPCs. It answers an unknown method as unimplemented, like a
// server of another version.
type service struct {
	pb.UnimplementedLanguageServerServiceHandler

	server *Server
}

// GetUserStatus needs a key that the cloud accepts (PROTOCOL.md 3.1).
func (s service) GetUserStatus(_ context.Context, req *connect.Request[pb.GetUserStatusRequest]) (*connect.Response[pb.GetUserStatusResponse], error) {
	tells, _ := s.server.current()
	answer := tells.windsurf.Answer(s.server.clock(), s.server.cfg.Account)
	if answer == nil {
		// A plain error of a handler reaches the client as code unknown.
		return nil, errors.New("user status is nil")
	}
	if err := s.signedIn(req.Msg.GetMetadata()); err != nil {
		return nil, err
	}
	if s.server.cfg.Cascade.Retired != RetiredNot {
		for _, info := range []*pb.PlanInfo{answer.GetPlanInfo(), answer.GetUserStatus().GetPlanStatus().GetPlanInfo()} {
			if info != nil {
				info.DevinInfo.CanUseCascade = false
			}
		}
	}
	s.server.tellStatus(answer)
	return connect.NewResponse(answer), nil
}

// GetUnleashData needs no key (PROTOCOL.md 3.2).
func (s service) GetUnleashData(_ context.Context, req *connect.Request[pb.GetUnleashDataRequest]) (*connect.Response[pb.GetUnleashDataResponse], error) {
	properties := map[string]string{"ide": "windsurf", "ideVersion": s.server.cfg.Release.version()}
	maps.Copy(properties, req.Msg.GetProperties())
	return connect.NewResponse(&pb.GetUnleashDataResponse{Context: &pb.UnleashContext{
		SessionId:  "5f2c9d0e-0000-4000-8000-73696d756c61",
		Properties: properties,
	}}), nil
}
