package simulator

import (
	"bytes"
	"compress/gzip"
	"io"
	"mime"
	"regexp"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	pb "windsock/probe/languageserver"
)

// A Call is one request that came in, refused ones included.
type Call struct {
	// RPC is the method's name; "lsp" stands for whatever was sent to the port
	// that is not the RPC port.
	RPC string `json:"rpc"`
	// Key is the API key that the request carried.
	Key string `json:"key,omitempty"`
}

// calls is the record of what came in, in order.
type calls struct {
	tell func(Call) // told of each call before it is answered; may be nil

	mu  sync.Mutex // guards all
	all []Call
}

func (c *calls) add(call Call) {
	c.mu.Lock()
	c.all = append(c.all, call)
	c.mu.Unlock()
	if c.tell != nil {
		c.tell(call)
	}
}

func (c *calls) list() []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Call(nil), c.all...)
}

// count returns how often each RPC was called.
func count(all []Call) map[string]int {
	n := map[string]int{}
	for _, call := range all {
		n[call.RPC]++
	}
	return n
}

// keys returns the API keys that came in, in order and with repetitions.
func keys(all []Call) []string {
	var found []string
	for _, call := range all {
		if call.Key != "" {
			found = append(found, call.Key)
		}
	}
	return found
}

var keyInJSON = regexp.MustCompile(`"api_?[kK]ey"\s*:\s*"([^"]+)"`)

// keyIn finds the API key of a request, whichever method it is for and whatever
// became of it: this is how a test learns that a key went where it should not.
func keyIn(method, contentType string, body []byte) string {
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		mediaType = ""
	}
	if strings.HasPrefix(mediaType, "application/grpc") || strings.HasPrefix(mediaType, "application/connect+") {
		const envelope = 5 // flags, length
		body = body[min(envelope, len(body)):]
	}
	body = unzipped(body)
	if match := keyInJSON.FindSubmatch(body); match != nil {
		return string(match[1])
	}
	if strings.HasSuffix(mediaType, "json") {
		return ""
	}
	return keyInProto(method, body)
}

// keyInProto reads the metadata of the method's request, whichever field it is.
func keyInProto(method string, body []byte) string {
	services := pb.File_language_server_proto.Services()
	descriptor := services.ByName("LanguageServerService").Methods().ByName(protoreflect.Name(method))
	if descriptor == nil {
		return ""
	}
	kind, err := protoregistry.GlobalTypes.FindMessageByName(descriptor.Input().FullName())
	if err != nil {
		return ""
	}
	request := kind.New()
	field := request.Descriptor().Fields().ByName("metadata")
	if field == nil || proto.Unmarshal(body, request.Interface()) != nil {
		return ""
	}
	metadata, ok := request.Get(field).Message().Interface().(*pb.Metadata)
	if !ok {
		return ""
	}
	return metadata.GetApiKey()
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
