package simulator

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "windsock/probe/languageserver"
)

func FuzzKeyIn(f *testing.F) {
	for _, kind := range []string{"application/json", "application/proto", "application/grpc+proto", "", "; ="} {
		f.Add("GetUserStatus", kind, []byte(keyed("k")))
		f.Add("GetTea", kind, []byte("\x1f\x8b\x08"))
		f.Add("GetProcesses", kind, []byte{})
	}
	f.Fuzz(func(t *testing.T, method, contentType string, body []byte) {
		readRequest(method, contentType, body).key()

		// A key is found behind whatever else the request has.
		request := &pb.GetUserStatusRequest{Metadata: &pb.Metadata{ApiKey: "k"}}
		known, err := proto.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		if proto.Unmarshal(body, request) != nil || keyInJSON.Match(body) {
			return
		}
		if got := readRequest("GetUserStatus", "application/proto", append(slices.Clip(body), known...)).key(); got != "k" {
			t.Errorf("key = %q", got)
		}
	})
}
