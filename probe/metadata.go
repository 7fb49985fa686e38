package probe

import (
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	"windsock/probe/languageserver"
	"windsock/probe/secret"
)

// metadataFactory makes the Metadata that goes with each request. It sends the
// fullest set that any client is known to need (PROTOCOL.md 2.1), but for
// device_fingerprint: the server takes the metadata to its cloud, where a random one
// for each poll would look like hundreds of devices a day.
type metadataFactory struct {
	sessionID string
	requests  atomic.Uint64
}

// processMetadata is that of all Sessions: a process is one session to the server,
// however often it polls.
var processMetadata = sync.OnceValue(func() *metadataFactory {
	f := &metadataFactory{sessionID: uuid.NewString()}
	// Ids have to grow from one run to the next as well.
	f.requests.Store(uint64(time.Now().UnixMilli()))
	return f
})

func (f *metadataFactory) next(s *server, key secret.Secret, now time.Time) *languageserver.Metadata {
	version := s.process.Version
	if version == "" {
		version = "unknown"
	}
	version = strings.ToValidUTF8(version, "") // protobuf sends nothing else
	return &languageserver.Metadata{
		IdeName:          s.variant.ideName,
		IdeVersion:       version,
		IdeType:          "desktop",
		ExtensionName:    s.variant.ideName,
		ExtensionVersion: version,
		ExtensionPath:    strings.ToValidUTF8(extensionDir(s.process.Path), ""),
		ApiKey:           key.Reveal(),
		Locale:           "en",
		Os:               runtime.GOOS,
		Hardware:         runtime.GOARCH,
		RequestId:        f.requests.Add(1),
		SessionId:        f.sessionID,
		LsTimestamp:      timestamppb.New(now),
		TriggerId:        uuid.NewString(),
		PlanName:         "Unset",
	}
}

// extensionDir is the directory of the extension that brought the server: two
// levels above its binary.
func extensionDir(server string) string {
	dir := path.Dir(path.Dir(strings.ReplaceAll(server, `\`, "/")))
	if dir == "." || dir == "/" {
		return ""
	}
	return dir
}
