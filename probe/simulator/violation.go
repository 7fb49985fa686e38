package simulator

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	pb "windsock/probe/languageserver"
)

// A watch knows what clients have sent so far, in order to find what they must not
// send:
//
//   - base_trajectory_identifier, which would join the editor's conversation;
//   - metadata without a request_id in one of Cascade's methods, or, in any
//     method, with one that is not above those of its session that have their answer,
//     or, for a new session, of all: requests side by side arrive in any order;
//   - an API key of at least leastKey characters anywhere but in
//     metadata.api_key: elsewhere in the body, in a header or in the path, also
//     when it is one of an earlier request, and on the port that is not for RPCs;
//   - images that are none of the kinds that clients send, and images for a model that
//     takes none (PROTOCOL.md 7.12);
//   - to Antigravity, any API key, and any header that a client of it does not need
//     (see antigravityViolations).
type watch struct {
	answered map[string]uint64 // the last id of each session
	keys     map[string]bool
}

// leastKey keeps a test's one-letter key from being found in every text.
const leastKey = 8

// violations are the violations of a request.
func (w *watch) violations(call Call, r request) []string {
	var found []string
	if start, ok := r.message.(*pb.StartCascadeRequest); ok && start.GetBaseTrajectoryIdentifier() != nil {
		found = append(found, "base_trajectory_identifier is set")
	}
	if sent, ok := r.message.(*pb.SendUserCascadeMessageRequest); ok {
		found = append(found, imageViolations(sent)...)
	}
	last, known := w.answered[r.metadata.GetSessionId()]
	if !known {
		for _, other := range w.answered {
			last = max(last, other)
		}
	}
	switch id := call.RequestID; {
	case id == 0 && r.metadata != nil && slices.Contains(cascadeMethods, call.RPC):
		found = append(found, "metadata without request_id")
	case id != 0 && id <= last:
		found = append(found, fmt.Sprintf("request_id %d is not above %d", id, last))
	}

	if len(call.Key) >= leastKey {
		if w.keys == nil {
			w.keys = map[string]bool{}
		}
		w.keys[call.Key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(w.keys)) {
		in := strings.Count(r.body, key)
		if r.metadata.GetApiKey() == key {
			in--
		}
		if in > 0 {
			found = append(found, "an api key in the body, outside of metadata.api_key")
		}
		if strings.Contains(r.around, key) {
			found = append(found, "an api key in the path or in a header")
		}
	}
	return found
}

// answer notes that a request has its answer.
func (w *watch) answer(m *pb.Metadata) {
	if w.answered == nil {
		w.answered = map[string]uint64{}
	}
	session := m.GetSessionId()
	w.answered[session] = max(w.answered[session], m.GetRequestId())
}

// imageViolations are what is wrong with a message's images.
func imageViolations(m *pb.SendUserCascadeMessageRequest) (found []string) {
	if len(m.GetImages()) == 0 {
		return nil
	}
	if model, err := wantedModel(m.GetCascadeConfig().GetPlannerConfig()); err == nil && !model.GetSupportsImages() {
		found = append(found, "images for a model that takes none")
	}
	for _, image := range m.GetImages() {
		file, err := base64.StdEncoding.DecodeString(image.GetBase64Data())
		if kind := http.DetectContentType(file); err != nil || !strings.HasPrefix(kind, "image/") || kind != image.GetMimeType() {
			found = append(found, "an image that is not of its kind")
		}
	}
	return found
}
