package spend

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"
)

// marks are the identities of a step, 64 bits each.
type marks struct {
	// best is that of the request that made the step, which copies in other cascades have,
	// too; else that of its place and its created time; else that of its place alone.
	best int64
	// first is best without the request, which a step that grows may be told without.
	first int64
}

func marksOf(cascade string, s Step) marks {
	index := strconv.Itoa(s.Index)
	first := mark("step", cascade, index, moment(s.Created))
	switch {
	case s.Request == "":
		return marks{first, first}
	case s.Created.IsZero(): // its place may have been that of a step that was reverted
		first = 0
	}
	return marks{mark("request", s.Request, index), first}
}

// look is what tells a step that has ended from one that has taken its place.
func look(cascade string, s Step) int64 {
	return mark("look", strconv.FormatInt(marksOf(cascade, s).best, 10), moment(s.Created), moment(s.At), s.Model)
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
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
