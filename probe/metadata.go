package probe

import (
	"cmp"
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

// numbering is shared by all requests of this process: to the server a process is one
// session, however often it polls.
type numbering struct {
	sessionID string
	requests  atomic.Uint64
}

var processNumbering = sync.OnceValue(func() *numbering {
	n := &numbering{sessionID: uuid.NewString()}
	// Ids also have to grow from one run to the next.
	n.requests.Store(uint64(time.Now().UnixMilli()))
	return n
})

// metadata is that of the next request, with the key of that index. Antigravity's
// server has its sign-in by itself, and gets no key (PROTOCOL.md 8.3).
func (s *server) metadata(key int) *languageserver.Metadata {
	if s.variant.Product == Antigravity {
		return &languageserver.Metadata{IdeName: s.variant.ideName, ExtensionName: s.variant.ideName, Locale: "en"}
	}
	return newMetadata(s, s.keys[key])
}

// newMetadata returns the Metadata of the next request. It has the fullest known set
// (PROTOCOL.md 2.1) except device_fingerprint: the server forwards the metadata to its
// cloud, where a random one for each poll would look like hundreds of devices a day.
func newMetadata(s *server, key secret.Secret) *languageserver.Metadata {
	numbers := processNumbering()
	version := strings.ToValidUTF8(cmp.Or(s.process.Version, "unknown"), "") // protobuf refuses other text
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
		RequestId:        numbers.requests.Add(1),
		SessionId:        numbers.sessionID,
		LsTimestamp:      timestamppb.Now(),
		TriggerId:        uuid.NewString(),
		PlanName:         "Unset",
	}
}

// extensionDir is the directory of the server's extension: two levels above its binary.
func extensionDir(server string) string {
	dir := path.Dir(path.Dir(strings.ReplaceAll(server, `\`, "/")))
	if dir == "." || dir == "/" {
		return ""
	}
	return dir
}
