package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// stand stands in for a test: traytest has its helpers fail one.
type stand struct {
	testing.TB // nil: what is not below is not called

	ctx context.Context //nolint:containedctx // testing.TB has one
	out io.Writer

	mu       sync.Mutex // guards what follows
	cleanups []func()
	problems []string
}

func (s *stand) Helper()                  {}
func (s *stand) Name() string             { return "soak" }
func (s *stand) Context() context.Context { return s.ctx }
func (s *stand) Log(args ...any)          { fmt.Fprint(s.out, fmt.Sprintln(args...)) }
func (s *stand) Logf(f string, a ...any)  { s.Log(fmt.Sprintf(f, a...)) }
func (s *stand) Error(args ...any)        { s.fail(fmt.Sprintln(args...)) }
func (s *stand) Errorf(f string, a ...any) {
	s.fail(fmt.Sprintf(f, a...))
}

func (s *stand) Fatal(args ...any) {
	s.fail(fmt.Sprintln(args...))
	runtime.Goexit()
}

func (s *stand) Fatalf(f string, a ...any) {
	s.fail(fmt.Sprintf(f, a...))
	runtime.Goexit()
}

func (s *stand) Cleanup(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cleanups = append(s.cleanups, f)
}

func (s *stand) Failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.problems) > 0
}

func (s *stand) fail(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, strings.TrimSpace(text))
}

// run calls f as a test is called, and returns what it failed with.
func (s *stand) run(f func(testing.TB)) error {
	call := func(f func()) {
		done := make(chan struct{})
		go func() { // ends with f, or with what fails in it
			defer close(done)
			f()
		}()
		<-done
	}
	call(func() { f(s) })
	for len(s.cleanups) > 0 {
		last := len(s.cleanups) - 1
		cleanup := s.cleanups[last]
		s.cleanups = slices.Delete(s.cleanups, last, last+1)
		call(cleanup)
	}
	if len(s.problems) == 0 {
		return nil
	}
	return errors.New(strings.Join(s.problems, "\n"))
}

// attempt calls f with a test that may fail without the one around it doing so.
// What f wants done at the end is done at the end of the outer one.
func attempt(tb testing.TB, f func(testing.TB)) error {
	tb.Helper()
	s := &stand{TB: tb, ctx: tb.Context(), out: io.Discard}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(s)
	}()
	<-done
	for _, cleanup := range s.cleanups {
		tb.Cleanup(cleanup)
	}
	if len(s.problems) == 0 {
		return nil
	}
	return errors.New(strings.Join(s.problems, "\n"))
}
