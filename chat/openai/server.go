package openai

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"windsock/chat"
	"windsock/probe/loopback"
	"windsock/probe/secret"
)

// Options are the parts of a Server.
type Options struct {
	Chat *chat.Service
	// Usage returns what is left of all plans, as far as it is known already.
	Usage func(context.Context) Usage
	// ShowKey says that the key is shown at the start, and nowhere else: it ends
	// with the process, as in a demo.
	ShowKey bool
	// Dir holds the key and the port, readable for this user only.
	Dir    string
	Config Config
	// Changed is told every change, in order; it must not block. It may be nil.
	Changed func(State)
	Log     *slog.Logger
}

// Usage is what is left of all plans, as /v1/usage reports it.
type Usage struct {
	// Document becomes the body. It is nil if nothing is known and nothing will be,
	// because the app is ending.
	Document any
	// Err is why no plan has fresh figures, else nil.
	Err error
}

// State is the visible state of a Server or a Service.
type State struct {
	Port     int // 0 while it does not serve
	Requests int // answers under way
	// On says whether a Service should serve. With On and a Port of 0 it is starting,
	// or has a Problem.
	On bool
	// Problem says in a sentence why a Service does not serve although it should; else
	// "".
	Problem string
}

// Server is the local API. Run serves it. Its other methods may be called from several
// goroutines.
type Server struct {
	Options

	slots     chan struct{} // one for each possible answer
	key       secret.Secret
	hosts     []string
	heartbeat time.Duration
	failed    failures
	said      said
	waiting   atomic.Int32 // for a slot
	held      atomic.Int64 // bytes of all requests for an answer
	decoding  sync.Mutex   // held while a body is decoded

	mu    sync.Mutex // guards state, and is held while Changed is told
	state State
}

// New returns a Server that does not serve yet.
func New(o Options) *Server {
	return &Server{
		Options: o, heartbeat: heartbeat,
		slots: make(chan struct{}, max(o.Config.Concurrency, 1)),
	}
}

// Run serves until the end of ctx. It then takes at most ShutdownTime to cancel all
// answers and archive their cascades, and returns nil. A Server runs once.
func (s *Server) Run(ctx context.Context) (err error) {
	at, err := take(ctx, s.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, at.leave()) }()
	if s.key, err = at.key(); err != nil {
		return err
	}
	listener, err := listen(ctx, s.Config.Port)
	if err != nil {
		return err
	}
	s.hosts = listener.Hosts("127.0.0.1", "localhost")
	if err := at.tellPort(listener.Port()); err != nil {
		return errors.Join(err, listener.Close())
	}
	return s.serve(ctx, listener)
}

func (s *Server) change(do func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do(&s.state)
	if s.Changed != nil {
		s.Changed(s.state)
	}
}

const (
	// turnTime is how long a request waits for its turn. Programs that send requests in
	// parallel soon give up if they are rejected.
	turnTime = 30 * time.Second
	// maxWaiting limits the waiting requests: half of the possible connections.
	maxWaiting = 64
	// maxHeld limits the bytes of all requests for an answer, from their reading to their
	// end: the images of many clients at once would fill the memory.
	maxHeld = 128 << 20
)

// heldSize is how many bytes of maxHeld a request takes. One that does not tell its size
// is taken for a text.
func heldSize(r *http.Request) int64 {
	if r.ContentLength < 0 {
		return chat.MaxPrompt
	}
	return min(r.ContentLength, maxBody)
}

// enter takes a slot. If all are taken, it waits; a channel serves its senders in
// order. The error is that of ctx, or errTooMany. leave returns the slot.
func (s *Server) enter(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
	default:
		if err := s.wait(ctx); err != nil {
			return err
		}
	}
	s.change(func(st *State) { st.Requests++ })
	return nil
}

func (s *Server) wait(ctx context.Context) error {
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > maxWaiting {
		return errTooMany
	}
	turn := time.NewTimer(turnTime)
	defer turn.Stop()
	select {
	case s.slots <- struct{}{}:
		if err := ctx.Err(); err != nil { // both happened at once
			<-s.slots
			return err
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-turn.C:
		return errTooMany
	}
}

func (s *Server) leave() {
	s.change(func(st *State) { st.Requests-- })
	<-s.slots
}

// listen takes another port if the wanted one is taken.
func listen(ctx context.Context, port int) (*loopback.Listener, error) {
	l, err := loopback.Listen(ctx, port)
	// Windows reports a port that it has reserved itself as forbidden.
	if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.EACCES) || errors.Is(err, errReserved) {
		return loopback.Listen(ctx, 0)
	}
	return l, err
}

// errReserved is WSAEACCES.
const errReserved = syscall.Errno(10013)

func (s *Server) serve(ctx context.Context, listener *loopback.Listener) error {
	requests, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(errStopping)
	server := loopback.NewServer(s.handler(), s.Log)
	server.BaseContext = func(net.Listener) context.Context { return requests }
	ended := make(chan error, 1) // the goroutine below sends once
	go func() { ended <- server.Serve(listener) }()
	s.change(func(st *State) { st.Port = listener.Port() })
	defer s.change(func(st *State) { st.Port = 0 })
	select {
	case err := <-ended:
		return fmt.Errorf("serve local API: %w", err)
	case <-ctx.Done():
	}
	cancel(errStopping)
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), ShutdownTime-time.Second)
	defer stop()
	err := server.Shutdown(last)
	if err != nil {
		s.Log.WarnContext(ctx, "local API ended with answers under way", slog.Any("err", err))
		_ = server.Close()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve local API: %w", err)
	}
	return nil
}

// explain returns the fault of a failed prompt. For an exhausted quota, it says when
// quota returns. It remembers a prompt that may have reached a model.
func (s *Server) explain(ctx context.Context, j *job, err error, answer chat.Answer) *fault {
	failure, ok := errors.AsType[*chat.Failure](err)
	if ok && failure.Code == chat.TimedOut {
		failure.Cure = fmt.Sprintf("It has %d minutes here.", askTime/time.Minute)
	}
	f := faultOf(ctx, err, answer.Sent)
	if ok && failure.Wait == 0 {
		f.until(failure, time.Now())
	}
	if answer.Sent {
		s.failed.remember(j, f, false)
	}
	return f
}
