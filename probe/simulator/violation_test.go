package simulator

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"

	pb "windsock/probe/languageserver"
	"windsock/probe/probetest"
)

func TestViolations(t *testing.T) {
	t.Parallel()
	const key = "sk-ws-01-secret"
	metadata := func(id int) string { return fmt.Sprintf(`"metadata":{"apiKey":%q,"requestId":"%d"}`, key, id) }
	tests := []struct {
		name   string
		bodies [][2]string // method, body
		want   []string
	}{
		{
			"none",
			[][2]string{
				{"GetUserStatus", "{" + metadata(7) + "}"},
				{"StartCascade", "{" + metadata(8) + "}"},
				{"GetAllCascadeTrajectories", "{}"},
			},
			nil,
		},
		{
			"joined",
			[][2]string{{"StartCascade", "{" + metadata(7) + `,"baseTrajectoryIdentifier":{"lastActiveDoc":true}}`}},
			[]string{"StartCascade: base_trajectory_identifier is set"},
		},
		{
			"joined_in_snake_case",
			[][2]string{{"StartCascade", "{" + metadata(7) + `,"base_trajectory_identifier":{}}`}},
			[]string{"StartCascade: base_trajectory_identifier is set"},
		},
		{
			"request_ids",
			[][2]string{
				{"GetUserStatus", "{" + metadata(7) + "}"},
				{"GetUnleashData", "{" + metadata(7) + "}"},
				{"GetUserStatus", "{" + metadata(6) + "}"},
				{"GetUserStatus", "{" + metadata(8) + "}"},
				{"StartCascade", keyed("k")},
			},
			[]string{
				"GetUnleashData: request_id 7 is not above 7", "GetUserStatus: request_id 6 is not above 7",
				"StartCascade: metadata without request_id",
			},
		},
		{
			"request_ids_of_several_sessions",
			[][2]string{
				{"GetUserStatus", "{" + metadata(7) + "}"},
				{"GetUserStatus", `{"metadata":{"requestId":"9","sessionId":"another"}}`},
				{"GetUserStatus", "{" + metadata(8) + "}"},
				{"GetUserStatus", `{"metadata":{"requestId":"1","sessionId":"a later run"}}`},
			},
			[]string{"GetUserStatus: request_id 1 is not above 9"},
		},
		{
			"key_in_prompt",
			[][2]string{{"SendUserCascadeMessage", `{"items":[{"text":"it is ` + key + `"}],` + metadata(7) + "}"}},
			[]string{"SendUserCascadeMessage: an api key in the body, outside of metadata.api_key"},
		},
		{
			"key_in_a_later_request_without_metadata",
			[][2]string{
				{"GetUserStatus", "{" + metadata(7) + "}"},
				{"GetAllCascadeTrajectories", "{" + metadata(8) + "}"},
			},
			[]string{"GetAllCascadeTrajectories: an api key in the body, outside of metadata.api_key"},
		},
		{
			"key_of_an_earlier_request_beside_another",
			[][2]string{
				{"GetUserStatus", "{" + metadata(7) + "}"},
				{"GetUnleashData", `{"metadata":{"apiKey":"sk-ws-01-other","sessionId":"` + key + `"}}`},
			},
			[]string{"GetUnleashData: an api key in the body, outside of metadata.api_key"},
		},
		{
			"key_in_path",
			[][2]string{{"GetUserStatus", "{" + metadata(7) + "}"}, {"GetUnleashData?key=" + key, "{}"}},
			[]string{"GetUnleashData: an api key in the path or in a header"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, Config{Token: "t"})
			for _, body := range tt.bodies {
				call(t, s, body[0], "t", body[1])
			}
			if diff := cmp.Diff(tt.want, s.Violations()); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// Requests that run side by side arrive in any order.
func TestRequestIDsSideBySide(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t", Delay: time.Minute, DelayRPC: "GetUnleashData"})
	ctx, end := context.WithCancel(t.Context())
	running := make(chan struct{})
	go func() {
		defer close(running)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+servicePath+"GetUnleashData", strings.NewReader(`{"metadata":{"requestId":"8"}}`))
		if err != nil {
			t.Error(err)
			return
		}
		request.Header.Set("Content-Type", "application/json")
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close() // nobody reads it
			t.Error("it was answered")
		}
	}()
	probetest.Eventually(t, "the first request", func() bool { return s.Count()["GetUnleashData"] > 0 })
	call(t, s, "GetUserStatus", "t", `{"metadata":{"requestId":"7"}}`)
	end()
	<-running
	if wrong := s.Violations(); len(wrong) > 0 {
		t.Error(wrong)
	}
}

// Violations are found in JSON and in protobuf, compressed or not, and in headers.
func TestViolationsInProto(t *testing.T) {
	t.Parallel()
	const key = "sk-ws-01-secret"
	for name, options := range map[string][]connect.ClientOption{
		"proto": nil, "gzip": {connect.WithSendGzip()}, "grpc_web": {connect.WithGRPCWeb()},
	} {
		s := start(t, Config{Token: "t", Cascade: Cascade{PanelReady: true}})
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		client := pb.NewLanguageServerServiceClient(&http.Client{Transport: transport}, s.URL(), options...)
		bad := connect.NewRequest(&pb.SendUserCascadeMessageRequest{
			CascadeId: "c", Metadata: &pb.Metadata{ApiKey: key, RequestId: 3},
			Items:         []*pb.TextOrScopeItem{{Chunk: &pb.TextOrScopeItem_Text{Text: key}}},
			CascadeConfig: &pb.CascadeConfig{PlannerConfig: &pb.CascadePlannerConfig{RequestedModelUid: "m"}},
		})
		bad.Header().Set("x-codeium-csrf-token", "t")
		bad.Header().Set("authorization", "Bearer "+key)
		_, _ = client.SendUserCascadeMessage(context.Background(), bad) // the model is unknown
		want := []Call{{
			RPC: "SendUserCascadeMessage", Key: key, RequestID: 3, CascadeID: "c", Prompt: key, Model: "m",
			Violations: []string{
				"an api key in the body, outside of metadata.api_key", "an api key in the path or in a header",
			},
		}}
		if diff := cmp.Diff(want, s.Calls()); diff != "" {
			t.Errorf("%s: calls (-want +got):\n%s", name, diff)
		}
	}
}
