package probe

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"windsock/probe/jsoncheck"
)

// RawJSON is a response that is handed on as the server sent it, for a reader
// that needs a small part of it and has its own rules for the rest. It may be no
// JSON at all, but it is bounded (package jsoncheck).
type RawJSON struct{ Data []byte }

// jsonCodec takes the place of Connect's own codec of that name. It writes proto
// messages as proto3 JSON and hands a RawJSON on undecoded; what the server adds
// later, as a field or as the name of an enum, is passed over.
type jsonCodec struct{}

// Name is the suffix of the content type.
func (jsonCodec) Name() string { return "json" }

// Marshal writes a request.
func (jsonCodec) Marshal(message any) ([]byte, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("marshal %T: not a protobuf message", message)
	}
	return protojson.Marshal(m)
}

// Unmarshal reads a response; data belongs to the caller.
func (jsonCodec) Unmarshal(data []byte, message any) error {
	switch m := message.(type) {
	case *RawJSON:
		if !jsoncheck.Bounded(data) {
			return errors.New("the answer is nested too deeply")
		}
		m.Data = append([]byte(nil), data...)
		return nil
	case proto.Message:
		return protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(data, m)
	default:
		return fmt.Errorf("unmarshal %T: not a protobuf message", message)
	}
}
