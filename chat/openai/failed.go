package openai

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"windsock/chat"
)

// Many programs resend a failed prompt, whatever the answer's headers say, and each
// time is paid for. So a prompt that failed after it may have reached a model is not
// sent again for a while. The program gets a status that no program takes for
// temporary.

const (
	// failedTime is how long that holds after the failure. Programs retry within
	// seconds; a person may have to wait until it is over.
	failedTime = time.Minute
	// maxFailed is how many prompts are remembered; the oldest is dropped first.
	maxFailed = 256
)

// failures are the recently failed prompts, as hashes. The zero value is ready.
type failures struct {
	mu   sync.Mutex // guards list
	list []failure  // the oldest one first
}

type failure struct {
	prompt [sha256.Size]byte
	says   string
	at     time.Time
	// streamed is set if only the stream failed: the error asks for the same prompt
	// without stream.
	streamed bool
}

// hash identifies a prompt to a model, without the random word of each request.
func (j *job) hash() [sha256.Size]byte {
	all := []byte(j.model.UID + "\x00" + strings.ReplaceAll(j.prompt, j.callKey(), plainKey))
	for _, image := range j.images {
		sum := sha256.Sum256(image.Data)
		all = append(all, sum[:]...)
	}
	return sha256.Sum256(all)
}

// remember notes a job that failed after its prompt may have been sent. It skips
// temporary failures, and those caused by the end of the server or the client.
func (l *failures) remember(j *job, f *fault, streamed bool) {
	if !f.final || f == errEnding || f.code == string(chat.Busy) || f.code == string(chat.RateLimited) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, failure{j.hash(), f.says, time.Now(), streamed})
	l.list = slices.Delete(l.list, 0, max(len(l.list)-maxFailed, 0))
}

// refuse is the fault of a job whose prompt failed recently, else nil.
func (l *failures) refuse(j *job) *fault {
	prompt, now := j.hash(), time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(e failure) bool { return now.Sub(e.at) >= failedTime })
	for _, e := range slices.Backward(l.list) {
		if e.prompt == prompt && (j.stream || !e.streamed) {
			return &fault{
				status: http.StatusBadRequest, kind: invalidRequest, code: "failed_before", final: true,
				says: fmt.Sprintf("This prompt was not sent again, since it may have been paid for when it failed at %s: %s It will be sent again from %s on.",
					e.at.Format(time.TimeOnly), e.says, e.at.Add(failedTime).Format(time.TimeOnly)),
			}
		}
	}
	return nil
}
