//go:build !linux

package desktop

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestInTurn: a call that hangs keeps its turn, and other callers do not wait for
// long.
func TestInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turn, goesOn := make(chan struct{}, 1), make(chan struct{})
		try := func(do func() error) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return inTurn(ctx, turn, do)
		}
		if err := try(func() error { <-goesOn; return nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("what hangs: %v", err)
		}
		done := false
		next := func() error { done = true; return errors.ErrUnsupported }
		if err := try(next); !errors.Is(err, context.DeadlineExceeded) || done {
			t.Errorf("meanwhile: %v, done %v", err, done)
		}
		close(goesOn)
		if err := try(next); !errors.Is(err, errors.ErrUnsupported) || !done {
			t.Errorf("afterwards: %v, done %v", err, done)
		}
	})
}
