package openai

import (
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"windsock/chat"
)

// What a client sees of an answer that the server writes anew:
//
// Streamed text cannot be taken back, and text is sent as soon as it is known. If the
// server rewrites text that was already sent, the stream pauses. It continues as soon as
// the new text begins with everything sent. If the final text does not, the stream ends
// with the error answer_rewritten, which has the whole final text in error.final_text.
// So text is never doubled, and never silently differs from the server's. Without
// stream, none of this happens.
//
// If tools are offered, a possible beginning of a call waits until it is certain, and
// so does an answer that may consist of calls only. If a JSON object is wanted, the
// whole answer waits: only its end shows its content.

// heartbeat is the interval of signs of life on a stream without text. The first one
// fixes the status at 200.
const heartbeat = 10 * time.Second

// stream is an answer on its way to a client.
type stream struct {
	*job

	form   form
	w      http.ResponseWriter
	cancel func() // ends the prompt

	mu      sync.Mutex // guards what is below, and the writing
	started bool
	broken  bool
	text    string // the answer so far
	sent    string // the part that was sent
}

// keepAlive sends heartbeats until it is stopped.
func (t *stream) keepAlive(every time.Duration) (stop func()) {
	done := make(chan struct{})
	var beating sync.WaitGroup // ends with stop
	beating.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				t.mu.Lock()
				t.begin()
				t.write(t.form.beat())
				t.mu.Unlock()
			case <-done:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(done)
		beating.Wait()
	})
}

// tell takes in news of the answer, and sends what can be sent.
func (t *stream) tell(e chat.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.Kind {
	case chat.Grows:
		t.text += e.Text
	case chat.Changes:
		t.text = e.Text
	case chat.Works:
		return
	}
	if !t.json {
		t.send(t.text[:whole(t.text, t.caller().sendable(t.text))])
	}
}

// whole moves an end of text out of a character.
func whole(text string, end int) int {
	for back := 1; back < utf8.UTFMax && back <= end; back++ {
		if b := text[end-back]; utf8.RuneStart(b) {
			if !utf8.FullRuneInString(text[end-back : end]) {
				return end - back
			}
			break
		}
	}
	return end
}

// send sends the new part of the content, if the content begins with what was sent.
func (t *stream) send(content string) bool {
	rest, goesOn := strings.CutPrefix(content, t.sent)
	if goesOn && rest != "" {
		t.begin()
		t.write(t.form.grow(rest))
		t.sent = content
	}
	return goesOn
}

// end sends the rest and the outcome; it returns the fault, if any.
func (t *stream) end(answer chat.Answer) *fault {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := t.conclude(answer)
	if !t.send(end.content) {
		f := &fault{
			kind: serverError, code: "answer_rewritten", text: answer.Text, final: true,
			says: "The server wrote the answer anew after a part of it was streamed. error.final_text has all of it; without stream, only that is sent.",
		}
		t.sendFault(f)
		return f
	}
	t.begin()
	t.write(t.form.end(end))
	return nil
}

// fail ends the stream with an error: with a status of its own if nothing was sent,
// else with a last event.
func (t *stream) fail(f *fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.started {
		f.write(t.w)
		return
	}
	t.sendFault(f)
}

func (t *stream) sendFault(f *fault) {
	t.begin()
	note(t.w, f.code)
	t.write(t.form.fail(f, t.sent))
}

// begin sends the head and the first event, once.
func (t *stream) begin() {
	if t.started {
		return
	}
	t.started = true
	header := t.w.Header()
	header.Set("Content-Type", "text/event-stream; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	t.w.WriteHeader(http.StatusOK)
	t.write(t.form.begin())
}

// sse is an event of a stream; a name may be empty.
func sse(name string, data []byte) []byte {
	var out []byte
	if name != "" {
		out = append(append(append(out, "event: "...), name...), '\n')
	}
	return append(append(append(out, "data: "...), data...), "\n\n"...)
}

// write sends at once. If the client does not read it, the prompt is cancelled.
func (t *stream) write(data []byte) {
	if t.broken {
		return
	}
	_, err := t.w.Write(data)
	if err == nil {
		err = http.NewResponseController(t.w).Flush()
	}
	if err != nil {
		t.broken = true
		t.cancel()
	}
}
