package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http/httptrace"
	"path"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"windsock/probe/jsoncheck"
	"windsock/probe/jsonpick"
	"windsock/probe/languageserver"
	"windsock/probe/secret"
)

// RPC says how to make a call. Call's type parameters say what it carries.
type RPC struct {
	// Procedure is one of package languageserver.
	Procedure string
	// Timeout bounds each try; zero leaves it to the context.
	Timeout time.Duration
	// Once rules out a second try after a byte of the call may have left: the server
	// may have executed it without answering.
	Once bool
	// Pick are the members of the response that are read; nil is all. The rest is dropped
	// as it arrives, so that a response of many megabytes takes no memory.
	Pick jsonpick.Fields

	room int // bytes of a usual response, if that is a RawJSON
	most int // bytes of the response; zero is maxMessage
}

// Call makes one RPC on the Session's server. request builds the message from the
// metadata; a message without metadata ignores it. If a restart of the editor explains
// a failure and rpc allows it, Call looks for the server once more and tries again. The
// error is a *Failure; the cause of a second one holds the first.
func Call[Request, Response any](
	ctx context.Context, s *Session, rpc RPC, request func(*languageserver.Metadata) *Request,
) (*Response, error) {
	response := new(Response)
	failure := s.twice(ctx, rpc.Once, func(to *server, key int) *Failure {
		return call(ctx, to, key, rpc, func(m *languageserver.Metadata) any { return request(m) }, response)
	})
	if failure != nil {
		return nil, failure
	}
	return response, nil
}

// twice calls the Session's server with the key in use. It calls again if a restart of
// the editor explains the failure, but with once only if no byte can have left.
func (s *Session) twice(ctx context.Context, once bool, try func(to *server, key int) *Failure) *Failure {
	to, key := s.current()
	failed := try(to, key)
	if failed == nil || !failed.restart || once && failed.reply.sent {
		return failed
	}
	if failure := s.renew(ctx, to); failure != nil {
		return failure.of(failed)
	}
	if again := try(s.current()); again != nil {
		return again.after(failed)
	}
	return nil
}

// call makes an RPC on one server, with one of its keys, and reads the answer into
// response. Both messages are with the codec: Connect's client is generic, and one for
// each RPC's own types would be half a megabyte of the program.
func call(ctx context.Context, to *server, key int, rpc RPC, request func(*languageserver.Metadata) any, response any) *Failure {
	if rpc.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, rpc.Timeout)
		defer cancel()
	}
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }, // from here on a byte may leave
	})
	raw, _ := response.(*RawJSON)
	most := cmp.Or(rpc.most, maxMessage)
	client := connect.NewClient[struct{}, struct{}](
		bounded{to.client, rpc.Pick, raw, rpc.room, most}, to.base+rpc.Procedure,
		connect.WithCodec(jsonCodec{request: request(to.metadata(key)), response: response, picks: rpc.Pick != nil}),
		connect.WithReadMaxBytes(most),
		connect.WithAcceptCompression("gzip", nil, nil), // not worth its time on loopback
		connect.WithInterceptors(withToken(to.process.Token)),
	)
	if _, err := client.CallUnary(ctx, connect.NewRequest(&struct{}{})); err != nil {
		return to.failure(path.Base(rpc.Procedure), sent.Load(), err)
	}
	return nil
}

// withToken adds the CSRF token to each request.
func withToken(token secret.Secret) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
			request.Header().Set(csrfHeader, token.Reveal())
			return next(ctx, request)
		}
	}
}

// RawJSON is a response passed on as the server sent it, but for [RPC.Pick], for a reader
// that needs a small part of it and applies its own rules. It may be invalid JSON, but its
// size and depth are bounded (package jsoncheck).
type RawJSON struct{ Data []byte }

// jsonCodec replaces Connect's codec of that name for one call. It writes a proto message
// as proto3 JSON and passes a RawJSON on undecoded. It ignores unknown fields and unknown
// enum names, which later servers may add.
type jsonCodec struct {
	request, response any  // pointers
	picks             bool // a RawJSON is short enough to be checked
}

// Name is the suffix of the content type.
func (jsonCodec) Name() string { return "json" }

// Marshal writes the request.
func (c jsonCodec) Marshal(any) ([]byte, error) {
	m, ok := c.request.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("marshal %T: not a protobuf message", c.request)
	}
	return protojson.Marshal(m)
}

// Unmarshal reads the response. The caller owns data, which is empty for a RawJSON: that
// has its data already (type taken).
func (c jsonCodec) Unmarshal(data []byte, _ any) error {
	switch m := c.response.(type) {
	case *RawJSON:
		if !jsoncheck.Bounded(m.Data) || c.picks && !jsoncheck.Valid(m.Data) {
			return errors.New("the answer is nested too deeply, or is no JSON")
		}
		if len(m.Data) == 0 { // nil would read like no answer at all
			return errors.New("the answer is empty")
		}
		return nil
	case proto.Message:
		return protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(data, m)
	default:
		return fmt.Errorf("unmarshal %T: not a protobuf message", c.response)
	}
}
