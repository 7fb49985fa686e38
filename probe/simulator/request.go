package simulator

import (
	"bytes"
	"compress/gzip"
	"io"
	"mime"
	"regexp"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	pb "windsock/probe/languageserver"
)

// A request is an incoming request, as text that can be searched for a key.
type request struct {
	body   string // decompressed
	around string // path and headers
	// metadata is nil if the request has none. message is nil for an unknown method or
	// an invalid body.
	metadata *pb.Metadata
	message  proto.Message
}

var keyInJSON = regexp.MustCompile(`"api_?[kK]ey"\s*:\s*"([^"]+)"`)

// readRequest reads a request for any method, accepted or not: so a test sees a key
// that was sent to the wrong place.
func readRequest(method, contentType string, body []byte) request {
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		mediaType = ""
	}
	if strings.HasPrefix(mediaType, "application/grpc") || strings.HasPrefix(mediaType, "application/connect+") {
		const envelope = 5 // flags, length
		body = body[min(envelope, len(body)):]
	}
	body = unzipped(body)
	r := request{body: string(body), message: messageFor(method)}
	if r.message == nil {
		return r
	}
	if strings.HasSuffix(mediaType, "json") {
		err = protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(body, r.message)
	} else {
		err = proto.Unmarshal(body, r.message)
	}
	if err != nil {
		r.message = nil
		return r
	}
	if m, ok := r.message.(interface{ GetMetadata() *pb.Metadata }); ok {
		r.metadata = m.GetMetadata()
	}
	return r
}

func unzipped(body []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return body
	}
	plain, err := io.ReadAll(io.LimitReader(r, maxRequest))
	if err != nil {
		return body
	}
	return plain
}

// messageFor is an empty request of a method; nil for an unknown method.
func messageFor(method string) proto.Message {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("exa.language_server_pb." + method + "Request"))
	if err != nil {
		return nil
	}
	return kind.New().Interface()
}

// key is the API key that the request carries.
func (r request) key() string {
	if key := r.metadata.GetApiKey(); key != "" {
		return key
	}
	if match := keyInJSON.FindStringSubmatch(r.body); match != nil {
		return match[1]
	}
	return ""
}

// call is the record of the request.
func (r request) call(method string) Call {
	call := Call{RPC: method, Key: r.key(), RequestID: r.metadata.GetRequestId()}
	if of, ok := r.message.(interface{ GetCascadeId() string }); ok {
		call.CascadeID = of.GetCascadeId()
	}
	switch m := r.message.(type) {
	case *pb.SendUserCascadeMessageRequest:
		call.Prompt = text(m)
		call.Images = len(m.GetImages())
		call.Model = m.GetCascadeConfig().GetPlannerConfig().GetRequestedModelUid()
	case *pb.ArchiveCascadeTrajectoryRequest:
		call.Archived = m.GetIsArchived()
	}
	return call
}
