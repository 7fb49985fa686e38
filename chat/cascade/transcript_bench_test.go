package cascade

import (
	"strings"
	"testing"
)

// longTurn is the transcript of a turn of a megabyte in so many messages, every
// other one a tool's, whose last one ends as given.
func longTurn(messages int, end string) string {
	const line = "A line of text with `code` and an = sign, as long as lines are.\n"
	text := strings.Repeat(line, (1<<20)*2/(messages+1)/len(line))
	all := []message{{index: 0, role: roleUser, text: "hi"}}
	for i := 1; i < messages; i += 2 {
		all = append(all, says(i, text), does(i+1, "VIEW_FILE"))
	}
	return writeTranscript(append(all, says(len(all), text+end))...)
}

// BenchmarkTranscript is one poll of a turn of a megabyte. Growing, every other
// poll takes back what grew.
func BenchmarkTranscript(b *testing.B) {
	for _, shape := range []struct {
		name     string
		messages int
	}{{"one_message", 1}, {"101_messages", 101}, {"10001_messages", 10001}} {
		short, long := longTurn(shape.messages, "now"), longTurn(shape.messages, "now it grows")
		// Two strings that are equal have each their own memory, as two answers do.
		again := strings.Clone(short)
		for _, way := range []struct {
			name  string
			first string
			next  string
		}{{"growing", short, long}, {"unchanged", short, again}} {
			b.Run(shape.name+"/"+way.name, func(b *testing.B) {
				f := newFollower("hi")
				f.transcript(way.first)
				b.SetBytes(int64(len(way.next)))
				b.ReportAllocs()
				for b.Loop() {
					f.transcript(way.next)
					way.first, way.next = way.next, way.first
				}
			})
		}
	}
}

// TestTranscriptPollAllocates little: no text is copied, however long it is.
func TestTranscriptPollAllocates(t *testing.T) {
	polls := []string{longTurn(101, "now"), longTurn(101, "now it grows")}
	f := newFollower("hi")
	f.transcript(polls[1])
	f.transcript(polls[0])
	n := 0
	allocs := testing.AllocsPerRun(20, func() {
		n++
		f.transcript(polls[n%2])
	})
	if allocs > 2 {
		t.Errorf("%v allocations a poll", allocs)
	}
}
