package spend

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
)

// marks are the identities of a step, 64 bits each, the best first: that of the request
// that made it, which copies in other cascades have, too; that of its place and its
// created time; that of its place alone. What is not told makes no mark. A step that
// grows may be told with a worse mark first.
func marks(cascade string, s Step) []int64 {
	index := strconv.Itoa(s.Index)
	var all []int64
	if s.Request != "" {
		all = append(all, mark("request", s.Request, index))
	}
	if !s.Created.IsZero() {
		all = append(all, mark("created", cascade, index, strconv.FormatInt(s.Created.UnixNano(), 10)))
	}
	return append(all, mark("place", cascade, index))
}

func mark(parts ...string) int64 {
	var text []byte
	for _, part := range parts {
		text = append(text, part...)
		text = append(text, 0)
	}
	sum := sha256.Sum256(text)
	return int64(binary.BigEndian.Uint64(sum[:])) //nolint:gosec // any 64 bits will do
}
