package acp

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"windsock/chat/acp/process"
	"windsock/probe/terminal"
)

const (
	// onceTime and onceOutput bound a run of the program that is no session.
	onceTime   = 5 * time.Second
	onceOutput = 4 << 10
)

// About is what is known of an agent without a session.
type About struct {
	Path string
	// Version is what the program says of itself, in one line; empty if it says nothing.
	Version string
	// Status is the command that was asked for a login; empty if there is none for this
	// agent. SignedIn says that it went well; what it writes may name a person and is
	// not read.
	Status   string
	SignedIn bool
}

// Identify asks the program for its version, with a limit of five seconds. The error is
// a *chat.Failure; what is known is returned beside it.
func (e *Engine) Identify(ctx context.Context) (About, error) {
	path, err := e.Program()
	if err != nil {
		return About{}, err
	}
	about := About{Path: path}
	out, _, err := e.runOnce(ctx, path, "--version")
	line, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	about.Version = terminal.Short(line)
	return about, e.parts.Profile.failure(ctx, err)
}

// About is Identify, and asks for the login as well, with a limit of its own.
func (e *Engine) About(ctx context.Context) (About, error) {
	about, err := e.Identify(ctx)
	if p := e.parts.Profile; err == nil && p.status != nil {
		about.Status = strings.Join(append([]string{p.programs[0]}, p.status...), " ")
		_, about.SignedIn, err = e.runOnce(ctx, about.Path, p.status...)
		err = p.failure(ctx, err)
	}
	return about, err
}

// runOnce runs the program for what it writes, as far as that is wanted.
func (e *Engine) runOnce(ctx context.Context, path string, args ...string) (out string, ok bool, _ error) {
	place, err := e.room().Make(ctx)
	if err != nil {
		return "", false, &startError{err}
	}
	child, err := place.Start(process.Command{Path: path, Args: args, Env: environ(os.Environ(), e.parts.Profile.pass)})
	if err != nil {
		return "", false, &startError{err}
	}
	defer child.Kill()
	_ = child.In.Close() // it is asked for nothing
	read := make(chan string, 1)
	go func() { // ends with the program's output, at the latest with this function
		text, _ := io.ReadAll(io.LimitReader(child.Out, onceOutput))
		_, _ = io.Copy(io.Discard, child.Out)
		read <- string(text)
	}()
	limit := time.NewTimer(onceTime)
	defer limit.Stop()
	select {
	case out = <-read:
		select {
		case <-child.Ended():
		case <-limit.C:
		}
		return out, child.Succeeded(), nil
	case <-limit.C:
		child.Kill()
		return <-read, false, nil
	case <-ctx.Done():
		return "", false, ctx.Err()
	}
}
